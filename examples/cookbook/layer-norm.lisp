; Layer norm and its gradient by hand, compared with differences of a loss.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn centered [x] (- x (mean x :axis -1 :keep true)))
(defn normed [x]
  (def c (centered x))
  (* c (rsqrt (+ (mean (* c c) :axis -1 :keep true) 1e-5))))
(defn forward [x g b] (+ (* (normed x) g) b))

; Of x, g, b, for the gradient dy of the result. With n = normed(x) and h = dy g, dx is (h - mean h - n mean(h n)) / s.
(defn backward [x g dy]
  (def c (centered x))
  (def r (rsqrt (+ (mean (* c c) :axis -1 :keep true) 1e-5)))
  (def n (* c r))
  (def h (* dy g))
  [(* r (- (- h (mean h :axis -1 :keep true)) (* n (mean (* h n) :axis -1 :keep true))))
   (sum (* dy n) :axis 0)
   (sum dy :axis 0)])

; A loss, and its change when one element of x changes.
(defn loss [x g b w] (at (sum (* w (forward x g b)))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (sin (reshape (iota f32 [96]) [6 16])))
  (def g (+ 1.0 (* 0.1 (cos (iota f32 [16])))))
  (def b (iota f32 [16]))
  (def w (cos (reshape (iota f32 [96]) [6 16])))
  (def [dx dg db] (backward x g w))
  (def up (update x (full f32 [1 1] (+ (at x 2 3) 1e-2)) [2 3]))
  (def down (update x (full f32 [1 1] (- (at x 2 3) 1e-2)) [2 3]))
  (check/report (cstring "dx") (abs (- (/ (- (loss up g b w) (loss down g b w)) 2e-2) (at dx 2 3))) 1e-3)
  ; CHECK: dx: ok
  ; Scaling x changes nothing, so that dx is at right angles to it.
  (check/report (cstring "angle") (at (max (abs (sum (* dx (centered x)) :axis 1)))) 1e-3)   ; CHECK: angle: ok
  (check/report (cstring "db") (check/difference db (sum w :axis 0)) 1e-5)                   ; CHECK: db: ok
  (check/report (cstring "library") (check/difference (forward x g b) (layer-norm x g b)) 1e-5)  ; CHECK: library: ok
  (def large (to-memref (sin (reshape (iota f32 [1048576]) [1024 1024]))))
  (timed argc memref<?x?xf32> [(: 1024 index) (: 1024 index)]
    (forward (load large) (full f32 [1024] 1.5) (full f32 [1024] 0.5))))
