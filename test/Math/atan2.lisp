; atan2 of any two of these numbers is libm's: of special values to the bit, else within two units of the last place.
; RUN: lispier run %s | FileCheck %s
; CHECK: {{^0$}}
(require-dialect memref math arith)
(extern-fn atan2f (-> [f32 f32] [f32]))

(defn not-a-number [(: x f32)] -> i1 (arith.cmpf {:predicate :uno} x x))
(defn agree [(: y f32) (: x f32)] -> i1
  (def ours (math.atan2 y x))
  (def exact (atan2f y x))
  (cond {:result i1}
    (= (arith.bitcast {:result i32} ours) (arith.bitcast {:result i32} exact)) true
    (not-a-number exact) (not-a-number ours)
    :else (< (math.absf (/ (- ours exact) exact)) 2.4e-7)))

(defmacro store-all [m & numbers]
  `(do ~@(map (fn [i] `(memref.store (: ~(nth numbers i) f32) ~m ~i)) (range (count numbers)))))

(defn main [] -> i32
  (def v (memref.alloc {:result memref<16xf32>}))
  (store-all v 0.0 -0.0 1.0 -1.0 +inf -inf nan 1e-40 -1e-40 3e38 -2e38 0.3 -2.7 1e-20 77.0 -1.1754944e-38)
  (def wrong (fold [n (: 0 i32)] [i 0 16]
    (fold [k n] [j 0 16]
      (if (agree (memref.load v i) (memref.load v j)) k (+ k 1)))))
  (memref.dealloc v)
  wrong)
