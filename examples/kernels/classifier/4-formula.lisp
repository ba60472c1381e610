; Classifier, step 4: the formula.
;
; The target of a row is where the column's number is the target's. Loss and gradient share the maximum and the sum, so
; that the compiler makes one kernel of both results where it can; `lispier run --explain` shows it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
(require-dialect memref math)
(require ["./classifier.lisp" :as classifier] ["../ladder.lisp" :as ladder])
(require-macros "./classifier.lisp" "../ladder.lisp")

(defn classify [x targets]
  (let [isTarget (= (iota i32 [(dim x 0) (dim x 1)] :axis 1) (reshape targets [(dim x 0) 1]))
        most (max x :axis -1 :keep true)
        e (exp (- x most))
        total (sum e :axis -1 :keep true)
        one (sum (where isTarget x 0.0) :axis -1 :keep true)]
    [(- (+ most (log total)) one)
     (/ (- (/ e total) (where isTarget 1.0 0.0)) (cast f32 (dim x 0)))]))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
           (: gradient memref<?x?xf32>)]
  (def [of-rows of-logits] (classify (load x) (load targets)))
  (store of-rows losses)
  (store of-logits gradient))

; CHECK: ok
; CHECK-NEXT: ok
(define-classifier step)
