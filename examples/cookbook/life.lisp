; Conway's Life on a field whose edges meet: the eight neighbours are shifted copies.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn rolled [(: x (tensor h w i32)) (: down index) (: right index)]
  (def twice (concat x x :axis 0))
  (def four (concat twice twice :axis 1))
  (slice four [(- h down) (- w right)] [h w]))
(defn next-step [(: x (tensor h w i32))]
  (def rows (+ x (+ (rolled x 1 0) (rolled x (- h 1) 0))))
  (def all (+ rows (+ (rolled rows 0 1) (rolled rows 0 (- w 1)))))
  (def neighbours (- all x))
  (cast i32 (or (= neighbours 3) (and (= x 1) (= neighbours 2)))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def glider (: [[0 1 0] [0 0 1] [1 1 1]] tensor<3x3xi32>))
  (def start (update (zeros i32 [12 12]) glider [1 1]))
  ; After four steps a glider is one place farther down and right, after 48 where it was.
  (def four (fold [x start] [i 0 4] (next-step x)))
  (println "%d" (cast i32 (at (all (= four (rolled start 1 1))))))            ; CHECK: {{^}}1{{$}}
  (println "%d" (cast i32 (at (all (= start (fold [x start] [i 0 48] (next-step x)))))))   ; CHECK: {{^}}1{{$}}
  (def large (to-memref (cast i32 (> (sin (reshape (iota f32 [1048576]) [1024 1024])) 0.3))))
  (timed argc memref<?x?xi32> [(: 1024 index) (: 1024 index)] (next-step (load large))))
