; Records that are read from a model's files.
; RUN: lispier run %s %S/../../../examples/gpt2/mini | FileCheck %s
(require-dialect llvm)
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Layer [up Linear] [gain (tensor c f32)] [shift (tensor c bf16)] [unknown (tensor 3 q f32)])
(defrecord Model [table (tensor v c bf16)] [h (list Layer)] [file (tensor _ _ f32)] [second Linear] [epsilon f32]
                 [again (tensor v c bf16)] [both (tensor _ c bf16)])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; The second name is that of a tensor; rows and columns of `up` are exchanged; numbers are the program's.
  (def m (load-checkpoint Model (ptr-load !llvm.ptr argv)
           {:table ["wte.weight" "transformer.wte.weight"]
            :h {:up {:weight ["transformer.h.{}.mlp.c_fc.weight" :transposed] :bias "transformer.h.{}.mlp.c_fc.bias"}
                :gain "transformer.h.{}.ln_2.weight" :shift ["transformer.h.{}.shift" :optional]
                :unknown ["transformer.h.{}.a" "transformer.h.{}.b" :optional]}
            :file "transformer.h.1.mlp.c_fc.weight"
            :second {:weight ["transformer.h.1.mlp.c_fc.weight" :transposed] :bias "transformer.h.1.mlp.c_fc.bias"}
            :epsilon 0.5 :again "transformer.wte.weight"
            :both [["transformer.wte.weight" "transformer.wpe.weight"]]}))
  (println "%ld %ld" (dim (:table m) 0) (:c m))                         ; CHECK: {{^8192 256$}}
  (println "%ld %ld" (dim (:weight (:up (:h m))) 1) (dim (:gain (:h m)) 1)) ; CHECK: {{^1024 256$}}
  ; The element of the stacked tensors is the tensor of its layer, and f32 has the numbers of bf16.
  (def w (at (:weight (:up (:h m))) 1))
  (println "%g" (cast f64 (at (max (abs (- (cast f32 w) (transpose (:file m))))))))  ; CHECK: {{^0$}}
  (println "%g" (cast f64 (at (max (abs (cast f32 (- w (:weight (:second m))))))))) ; CHECK: {{^0$}}
  (println "%d" (cast i32 (> (at (max (abs (:file m)))) 0.01)))           ; CHECK: {{^1$}}
  ; An optional tensor that the files have not is zeros, of the sizes that other tensors tell.
  (println "%ld %ld %ld" (dim (:shift (:h m)) 0) (dim (:shift (:h m)) 1) (dim (:unknown (:h m)) 2))
  ; CHECK: {{^8 256 0$}}
  (println "%g" (cast f64 (at (max (abs (cast f32 (:shift (:h m))))))))             ; CHECK: {{^0$}}
  (println "%g" (cast f64 (at (max (abs (- (cast f32 (:table m)) (cast f32 (:again m))))))))  ; CHECK: {{^0$}}
  ; A vector among the names is tensors one after the other.
  (println "%ld" (dim (:both m) 0))                                                   ; CHECK: {{^8704$}}
  (def rest (cast f32 (- (slice (:both m) :axis 0 :to (dim (:table m) 0)) (:table m))))
  (println "%g" (cast f64 (at (max (abs rest)))))                                     ; CHECK: {{^0$}}
  (println "%g" (:epsilon m)))                                           ; CHECK: {{^0.5$}}
