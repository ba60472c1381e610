; The gradient of what is split is its parts joined, and that of what is joined parts of it: no zeros, no sums, no copies.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; A rotation, whose parts are known to be all of x by the check that their number divides its size.
; CHECK-LABEL: func.func @back_of_rotated(
; CHECK: group.kernel "back_of_rotated_0" kind(elementwise)
; CHECK-NOT: group.kernel "back_of_rotated
; CHECK-NOT: memref.copy
; CHECK: return
(defn rotated [(: x (tensor t d f32)) (: c (tensor t s f32)) (: n (tensor t s f32))]
  (def [a b] (split x 2 :axis -1))
  (concat (- (* a c) (* b n)) (+ (* b c) (* a n)) :axis -1))
(defn back_of_rotated [(: x (tensor t d f32)) (: c (tensor t s f32)) (: n (tensor t s f32)) (: dy (tensor t d f32))]
  (let [[_ dx] (vjp rotated x c n :seed dy)] dx))

; Three parts of two sizes.
; CHECK-LABEL: func.func @back_of_sizes(
; CHECK-NOT: linalg.fill
; CHECK: return
(defn sizes [(: x (tensor n d f32)) (: h index) (: g index)]
  (def [a b c] (split x [h g g] :axis 1))
  (concat (* b c) (sin a) (* c 2.0) :axis 1))
(defn back_of_sizes [(: x (tensor n d f32)) (: h index) (: g index) (: dy (tensor n d f32))]
  (let [[_ dx] (vjp sizes x h g :seed dy)] dx))

; Two halves of an odd size are not all of it: the rest has no gradient.
; CHECK-LABEL: func.func @back_of_halves(
; CHECK: linalg.fill
; CHECK: return
(defn halves [(: x (tensor d f32))]
  (def h (/ (dim x 0) 2))
  (* (slice x [0] [h]) (slice x [h] [h])))
(defn back_of_halves [(: x (tensor d f32)) (: dy (tensor h f32))]
  (let [[_ dx] (vjp halves x :seed dy)] dx))

; Parts that overlap are added.
(defn overlapping [x] (+ (slice x [0] [2]) (slice x [1] [2])))

(defn sum_of_rotated [x c n] (let [y (rotated x c n)] (sum (* y y (cos y)))))
(defn sum_of_sizes [x] (let [y (sizes x 3 2)] (sum (* y y y))))
(defn main []
  (def x (reshape (sin (iota f32 [42])) [6 7]))
  (def halves (slice x [0 0] [6 6]))
  (def [c n] [(cos (slice x [0 0] [6 3])) (sin (slice x [0 2] [6 3]))])
  ; VALUE-COUNT-2: {{[0-9.]+}}e-0{{[4-9]}}
  (println "%.1e" (check-gradients sum_of_rotated halves c n :wrt [0 1 2]))
  (println "%.1e" (check-gradients sum_of_sizes x))
  ; VALUE: f32 [5]
  ; VALUE-NEXT: [3 4 1 2 0]
  (println (back_of_halves (+ 1.0 (iota f32 [5])) (full f32 [2] 1.0)))
  ; VALUE: f32 [3]
  ; VALUE-NEXT: [1 2 1]
  (println (let [[_ dx] (vjp overlapping (iota f32 [3]) :seed (full f32 [2] 1.0))] dx))
  ; VALUE: f32 [2 4]
  ; VALUE-NEXT: {{\[}}[1 1 1 1]
  (println (back_of_rotated (zeros f32 [2 4]) (full f32 [2 2] 1.0) (zeros f32 [2 2]) (full f32 [2 4] 1.0)))
  ; VALUE: f32 [1 4]
  ; VALUE-NEXT: {{\[}}[1 1 0 2]]
  (println (back_of_sizes (zeros f32 [1 4]) 2 1 (full f32 [1 4] 1.0))))
