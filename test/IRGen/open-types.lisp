; A loop that starts from a bare number carries the type that its body gives the value.
; RUN: split-file %s %t
; RUN: lispier show-ir %t/good.lisp | FileCheck %s
; RUN: not lispier check %t/wrong.lisp 2>&1 | FileCheck %s --check-prefix=WRONG

;--- good.lisp
(require-dialect scf memref arith math vector)
; CHECK-LABEL: @fold_it
; CHECK: %[[zero:.*]] = arith.constant 0.000000e+00 : f32
; CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[zero]]) -> (f32)
(defn fold_it [(: m memref<4xf32>)] -> f32
  (fold [s 0.0] [i 0 4] (+ s (memref.load m i))))
; An operand that comes later tells, too.
; CHECK-LABEL: @average
; CHECK: scf.for {{.*}} -> (f32)
(defn average [(: m memref<4xf32>)]
  (def s (fold [s 0.0] [i 0 4] (+ (* s 0.9) (* 0.1 (memref.load m i))))))
; Through an inner loop, a choice and an op; each value has a type of its own.
; CHECK-LABEL: @nested
; CHECK: scf.for {{.*}} -> (bf16)
; CHECK: scf.for {{.*}} -> (bf16)
(defn nested [(: m memref<4x4xbf16>)]
  (memref.store (fold [s 0.0] [i 0 4] (fold [t s] [j 0 4] (arith.addf t (memref.load m i j)))) m 0 0))
; CHECK-LABEL: @several
; CHECK: scf.for {{.*}} -> (f32, i32)
(defn several [(: m memref<4xf32>) (: n memref<4xi32>)]
  (def [best count]
    (fold [best -1e30 count 0] [i 0 4]
      (def x (memref.load m i))
      [(if (> x best) x best) (+ count (memref.load n i))]))
  (memref.store best m 0))
; CHECK-LABEL: @vectors
; CHECK: arith.constant dense<0.000000e+00> : vector<4xf32>
(defn vectors [(: m memref<8xf32>)]
  (def v (fold [v 0.0] [i 0 8 4] (+ v (vector.load {:result vector<4xf32>} m i))))
  (vector.store v m 0))
; CHECK-LABEL: @index
; CHECK: scf.for {{.*}} -> (index)
(defn index []
  (def n (fold [n 0] [i 0 4] (+ n i))))
; The place that the loop stands in says it where the body does not; then it is f64 or i64.
; CHECK-LABEL: @wanted
; CHECK: scf.for {{.*}} -> (f32)
; CHECK-LABEL: @nobody
; CHECK: scf.for {{.*}} -> (f64)
(defn wanted [] -> f32 (fold [s 0.0] [i 0 4] (+ s 1)))
(defn nobody [] (def s (fold [s 0.0] [i 0 4] (+ s 1))))
; CHECK-LABEL: @while
; CHECK: scf.while {{.*}} : (f32) -> f32
(defn while [(: x f32)] -> f32
  (loop [v 1.0] :while (< v x) :do (* v 2.0)))
; The ops themselves: by the body, by a typed argument, by `:result`.
; CHECK-LABEL: @ops
; CHECK: scf.for {{.*}} -> (f32)
; CHECK: scf.for {{.*}} -> (f32)
; CHECK: scf.for {{.*}} -> (f32)
; CHECK: scf.parallel {{.*}} init (%{{.*}}) -> f32
; CHECK-NOT: f64
; CHECK-NOT: unrealized
(defn ops [(: m memref<4xf32>)]
  (def a (scf.for 0 4 1 0.0 (region (block [i s] (scf.yield (arith.addf (memref.load m i) s))))))
  (def b (scf.for 0 4 1 0.0 (region (block [(: i index) (: s f32)] (scf.yield (arith.addf (memref.load m i) s))))))
  (def c (scf.for {:result f32} 0 4 1 0 (region (block [i s] (scf.yield (arith.addf (memref.load m i) s))))))
  (def d
    (scf.parallel [0] [4] [1] [0.0]
      (region (block [i] (scf.reduce (memref.load m i) (region (block [x y] (scf.reduce.return (arith.addf x y)))))))))
  (memref.store (+ a b c d) m 0))

;--- wrong.lisp
(require-dialect memref)
; WRONG: wrong.lisp:3:34: error[type-mismatch]: the next value of `fold` is i32, and it carries f64
(defn f [] (fold [s 0.5] [i 0 4] (+ (: 1 i32) 2)))
; The first use decides.
; WRONG: wrong.lisp:6:66: error[type-mismatch]: `+` takes operands of one type, and these have types f64 and f32
(defn g [(: x f32)] (fold [s 0.0] [i 0 4] (def t (* s 2.0)) (+ t x)))
; WRONG: wrong.lisp:8:43: error[name-undefined]: `u` is not defined
(defn h [(: x f32)] (fold [s 0.0] [i 0 4] u) (fold [s 0.0] [i 0 4] (+ s x)))
