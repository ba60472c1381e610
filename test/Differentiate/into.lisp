; A gradient that is added to a place begins with what is there: products, sums along dimensions, rows of an embedding, and
; a loop's slices of the layers' gradients, so that nothing is added or copied afterwards. What is rounded for products of
; BF16 has gradients in F32, as wide as it is itself.
; RUN: sed 's/NARROW/cast f32/g' %s > %t.lisp
; RUN: lispier run %t.lisp | FileCheck %s --check-prefix=NUMBERS
; RUN: lispier run --explain %t.lisp 2>&1 | FileCheck %s
; RUN: sed 's/NARROW/cast bf16/g' %s > %t.bf16.lisp
; RUN: lispier run %t.bf16.lisp | FileCheck %s --check-prefix=NUMBERS
; RUN: lispier --emit=tensor %t.bf16.lisp -o - | FileCheck %s --check-prefix=WIDE
; NUMBERS: loss is the same
; NUMBERS-NEXT: f32 [] {{[0-9.e-]+}}
; NUMBERS-NEXT: 5 sums are the gradients' twice
; NUMBERS: [11 11]
; NUMBERS: [21 21]
; Of what is added, only the slice of positions is added by a kernel of its own, in the second step.
; CHECK-NOT: copy: line 31
; CHECK: kernel main_[[#]], elementwise: line 31
; CHECK-NOT: {{copy|elementwise}}: line 31
; WIDE-LABEL: func.func @step
; WIDE: kind(contraction) ins({{.*}}bf16>{{.*}} outs(%subview{{[^ ]*}} : memref<?x?xf32, strided
; WIDE-NOT: truncf
; WIDE: group.yield
(defrecord Layer [w (tensor k k f32)] [b (tensor k f32)])
(defrecord Net [embedded (tensor v k f32)] [h (list Layer)] [out (tensor v k f32)] [places (tensor m k f32)])
(defn loss-of [(: m Net) (: x (tensor n i32))]
  (def s (+ (embedding (:embedded m) x) (slice (:places m) [0 0] [n _])))
  (def y (fold [s s] [w (:h m)]
           (+ s (tanh (+ (einsum "ni,oi->no" (NARROW s) (NARROW (:w w)) :out f32) (:b w))))))
  (def o (einsum "nk,vk->nv" (NARROW y) (NARROW (:out m)) :out f32))
  (mean (* o o)))
(defn step [(: m Net) (: d (inout Net)) (: x (tensor n i32))] (value-and-grad loss-of m x :into d))
(defn net [(: a f32) (: b f32)] -> Net
  (Net {:embedded (reshape (* a (sin (iota f32 [32]))) [8 4])
        :h (Layer (reshape (* b (cos (iota f32 [48]))) [3 4 4]) (reshape (* b (sin (iota f32 [12]))) [3 4]))
        :out (reshape (* a (cos (iota f32 [32]))) [8 4]) :places (reshape (* b (sin (iota f32 [40]))) [10 4])}))
; Two gradients that are one value.
(defn both [(: a (tensor n f32)) (: b (tensor n f32)) (: w (tensor 5 n f32))] (sum (* (einsum "mk,k->m" w (+ a b)) 1.0)))
(defn add-both [a b (: d (inout (tensor n f32))) (: e (inout (tensor n f32))) w]
  (value-and-grad both a b w :wrt [0 1] :into [d e]))
(defn off [x y] (at (max (abs (- x (* 2.0 y))))))
(defn main []
  (def [m d] [(net 1.0 0.7) (net 0.0 0.0)])
  (def x (% (* 3 (iota i32 [6])) 8))
  (def [wanted g] (value-and-grad loss-of m x))
  (def first (step m d x))
  (if (= (at first) (at (step m d x))) (println "loss is the same"))
  (println wanted)
  (if (< (max (off (:embedded d) (:embedded g)) (off (:w (:h d)) (:w (:h g))) (off (:b (:h d)) (:b (:h g)))
              (off (:out d) (:out g)) (off (:places d) (:places g)))
         1e-5)
      (println "5 sums are the gradients' twice"))
  (def [d e] [(full f32 [2] 10.0) (full f32 [2] 20.0)])
  (add-both (zeros f32 [2]) (zeros f32 [2]) d e (full f32 [5 2] 0.2))
  (println d) (println e))
