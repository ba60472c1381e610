; A checkpoint that a program writes and reads back: tensors of each rank, layers by number, the state; on every target.
; RUN: rm -rf %t && mkdir %t
; RUN: lispier run %s %t/run %lispier-source/examples/gpt2/mini | FileCheck %s
; RUN: ls %t/run | FileCheck %s --check-prefix=NAMES
; NAMES: latest
; NAMES-NEXT: step-2
; NAMES-NEXT: step-3
; NAMES-NOT: {{.}}
; RUN: lispier run --target=sim %s %t/sim %lispier-source/examples/gpt2/mini | FileCheck %s
; RUN: cmp %t/run/step-3/model.safetensors %t/sim/step-3/model.safetensors
(require-dialect llvm)
(require ["../../examples/training/checkpoint.lisp" :as checkpoint])

(defrecord Layer [w (tensor n k f32)] [b (tensor n bf16)])
(defrecord Model [table (tensor v c f32)] [h (list Layer)])

(defn made [(: step f32)] -> Model
  (def ws (iota f32 [2 3 4] :axis 0))
  (Model {:table (full f32 [5 2] step)
          :h (Layer {:w (+ (iota f32 [2 3 4] :axis 2) (* step ws)) :b (iota bf16 [2 3] :axis 1)})}))

(defn save [(: run !llvm.ptr) (: description !llvm.ptr) (: step i64)]
  (def m (made (cast f32 step)))
  (def s (checkpoint/begin-step run step))
  (checkpoint/put-f32 s (cstring "table") (:table m))
  (checkpoint/put-layers-f32 s (cstring "h.%ld.w") (transpose (:w (:h m)))) ; as Conv1D of transformers has it
  (checkpoint/put-layers-bf16 s (cstring "h.%ld.b") (:b (:h m)))
  (checkpoint/put-i64 s (cstring "step") (full i64 [] step))
  (checkpoint/write-file s (cstring "model.safetensors"))
  (checkpoint/copy-description s description)
  (checkpoint/set-integer s (cstring "place") (* (: 10 i64) step))
  (checkpoint/set-number s (cstring "rate") (: 0.25 f64))
  (checkpoint/set-text s (cstring "schedule") (cstring "cosine"))
  (def wrong (checkpoint/commit s (: 2 i64)))
  (if (null? wrong) (do) (println "%s" wrong)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def run (ptr-load !llvm.ptr argv))
  (def description (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 8)))
  (for [step 1 4] (save run description (cast i64 step)))
  (def state (checkpoint/open-state run))
  (println "%s" (checkpoint/state-folder state))                       ; CHECK: /step-3
  (println "%ld %ld %g %s" (checkpoint/state-integer state (cstring "step")) (checkpoint/state-integer state (cstring "place"))
           (checkpoint/state-number state (cstring "rate")) (checkpoint/state-text state (cstring "schedule"))) ; CHECK: {{^}}3 30 0.25 cosine
  (def m (load-checkpoint Model (checkpoint/state-folder state)
           {:table "table" :h {:w ["h.{}.w" :transposed] :b "h.{}.b"}}))
  (def other (made 3.0))
  ; CHECK-NEXT: i1 [] true
  (println (all (= (:table m) (:table other))))
  ; CHECK-NEXT: i1 [] true
  (println (all (= (:w (:h m)) (:w (:h other)))))
  ; CHECK-NEXT: i1 [] true
  (println (all (= (:b (:h m)) (:b (:h other)))))
  ; A step that cannot be saved is told, and the program goes on.
  ; CHECK-NEXT: /dev/null/run: cannot be made: Not a directory
  (save (cstring "/dev/null/run") description (: 4 i64)))
