; What a gradient computes again: of (recompute x) it keeps nothing, and in straight code the forward pass and what is
; computed again are kernels of their own. :recompute 1 keeps of a loop what it carries; 2 keeps that of every second
; iteration, and the products of the two that are computed again. The gradients are the same.
; RUN: split-file %s %t
; RUN: lispier run --explain=gradients %t/layers.lisp 2>&1 | FileCheck %t/layers.lisp --check-prefix=KEPT
; RUN: lispier run %t/layers.lisp | FileCheck %t/layers.lisp
; RUN: lispier run --target=sim %t/layers.lisp | FileCheck %t/layers.lisp
; RUN: lispier run --explain %t/norm.lisp 2>&1 | FileCheck %t/norm.lisp
; RUN: not lispier run %t/wrong.lisp 2>&1 | FileCheck %t/wrong.lisp
;--- layers.lisp
; KEPT: the gradient of `layers` keeps 3 values
; KEPT-NEXT: f32 [5 4 8], of all iterations
; KEPT-NEXT: f32 [5 4 8], of all iterations
; KEPT: the gradient of `both` keeps 0 values
; KEPT: the gradient of `again` keeps 0 values
; KEPT: the gradient of `blocks` keeps 2 values
; KEPT-NEXT: f32 [5 4 8], of all iterations
; KEPT-NEXT: f32 [4 8]
; KEPT: the gradient of `carried` keeps 2 values
; KEPT-NEXT: f32 [5 4 8], of all iterations
; KEPT-NEXT: f32 [4 8]
; KEPT: the gradient of `layers` keeps 4 values
; KEPT-NEXT: f32 [2 4 8], of all iterations
; KEPT-NEXT: f32 [2 4 8], of all iterations
; KEPT-NEXT: f32 [3 4 8], of all iterations
(defrecord Pair [a (tensor n k f32)] [b (tensor n k f32)])
(defn layer [x w] (tanh (+ (matmul (layer-norm x (full f32 [8] 1.1) (full f32 [8] 0.2)) w) x)))
(defn twice [x w] (layer (layer x w) w))
(defn plain [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))] (let [y (twice x w)] (mean (* y y))))
(defn again [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))]
  (let [y (recompute (layer (recompute (layer x w)) w))] (mean (* y y))))
(defn layers [(: x (tensor 4 8 f32)) (: w (tensor 5 8 8 f32))]
  (let [y (fold [x x] [w w] (layer x w))] (mean (* y y))))
(defn blocks [(: x (tensor 4 8 f32)) (: w (tensor 5 8 8 f32))]
  (let [y (fold [x x] [w w] (recompute (layer x w)))] (mean (* y y))))
(defn carried [(: x (tensor 4 8 f32)) (: w (tensor 5 8 8 f32))]
  (let [y (fold [x x] [w w] :recompute 1 (layer x w))] (mean (* y y))))
; A record is recomputed, too.
(defn both [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))]
  (let [p (recompute (Pair {:a (layer x w) :b (* x 2.0)}))] (mean (* (:a p) (:b p)))))
(defn both-kept [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))] (mean (* (layer x w) (* x 2.0))))
(defn off [a b] (at (max (abs (- a b)))))
(defn main []
  (def x (reshape (sin (iota f32 [32])) [4 8]))
  (def [w ws] [(reshape (cos (iota f32 [64])) [8 8]) (reshape (cos (iota f32 [320])) [5 8 8])])
  (def all (grad layers x ws :wrt 1))
  (def [d e] (grad both x w :wrt [0 1]))
  (def [dk ek] (grad both-kept x w :wrt [0 1]))
  ; CHECK: 6 gradients agree
  (if (< (max (off (grad plain x w :wrt 1) (grad again x w :wrt 1)) (off all (grad blocks x ws :wrt 1))
              (off all (grad carried x ws :wrt 1)) (off all (grad layers x ws :wrt 1 :recompute 2)) (off d dk)
              (off e ek))
         1e-6)
      (println "6 gradients agree")))
;--- norm.lisp
; The norm is computed before its product, and again before the product that makes the gradient of the weights.
; CHECK: kernel main_[[#N:]], row: lines [[#R:]],
; CHECK: kernel main_[[#N+1]], contraction
; CHECK: kernel main_[[#N+3]], row: lines [[#R]],
; CHECK: kernel main_[[#N+4]], contraction
(defn norm [x] (let [d (- x (mean x :axis -1 :keep true))]
  (* d (rsqrt (+ 1e-5 (mean (* d d) :axis -1 :keep true))))))
(defn loss-of [(: x (tensor 4 8 f32)) (: w (tensor 8 8 f32))]
  (let [y (matmul (recompute (norm x)) w)] (mean (* y y))))
(defn main []
  (println (grad loss-of (reshape (sin (iota f32 [32])) [4 8]) (reshape (cos (iota f32 [64])) [8 8]) :wrt 1)))
;--- wrong.lisp
; CHECK: :[[#@LINE+1]]:69: error[grad-recompute]: `:recompute` is a number of iterations, not `0`
(defn loss-of [(: x (tensor 4 f32))] (fold [x x] [i 0 3] :recompute 0 (sin x)))
; CHECK: :[[#@LINE+1]]:46: error[grad-recompute]: `recompute` is of a value, and this writes an `inout` parameter
(defn written [(: d (inout (tensor n f32)))] (recompute (update d (* 2.0 d) [0])))
(defn main [] (println (vjp loss-of (zeros f32 [4]) :seed (zeros f32 [4]))))
