; 12. Functions for any type.          RUN: lispier run %s | FileCheck %s
;                                      RUN: lispier run --target=sim %s | FileCheck %s
; A parameter without a type makes a function generic. It is generated for the types of each call, once for each
; set of them; numbers in it take the type of what they meet, and its results follow from its body. One formula
; serves numbers, vectors, tiles and tensors, on the host and in kernels.

(require-dialect memref vector)

(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))

; Types may be given to some parameters, and a type after -> to the result.
(defn power [x (: n i64)] (fold [p 1] [i 0 n] (* p x)))

; What follows & are keywords with their default values. A call gives them after its arguments, as constants: numbers,
; booleans, strings, types, functions, and integer arithmetic of constants. In the body they stand wherever the language
; wants a constant: a position, a size, a type.
(defn element [v & {:at 0 :as f64}] (cast as (vector.extract v at)))

; The name of a function can be an argument, or the value of a keyword: of a generic function, a function with types, a
; form such as tanh, or an op. The function that is called is generated with it.
(defn map! [f m] (for [i 0 (memref.dim m 0)] (memref.store (f (memref.load m i)) m i)))
(defn total [m & {:each identity}] (fold [s 0] [i 0 (memref.dim m 0)] (+ s (each (memref.load m i)))))
(defn identity [x] x)

(defkernel activate [(: m memref<?xf32>)]
  (def i (thread-id :x))
  (memref.store (gelu (memref.load m i)) m i))

(defn main []
  (println "%.4f %.4f" (gelu 1.0) (gelu (: 1.0 f32)))                   ; CHECK: 0.8412 0.8412
  (println "%g %ld" (power 1.5 2) (power 3 4))                          ; CHECK-NEXT: 2.25 81
  (def v (gelu (: [1.0 -1.0] vector<2xf32>)))
  (println "%.4f %.4f" (element v) (element v :at (- 2 1)))             ; CHECK-NEXT: 0.8412 -0.1588
  (println "%d" (element (: [2.0 7.5] vector<2xf32>) :at 1 :as i32))    ; CHECK-NEXT: 7
  (def m (memref.alloc {:result memref<?xf32>} (: 4 index)))
  (for [i 0 4] (memref.store 4.0 m i))
  (map! sqrt m)
  (println "%g %.4f" (total m) (total m :each gelu))                    ; CHECK-NEXT: 8 7.8184
  (def d (to-device m))
  (launch activate {:block 4} d)
  (download! m d)
  (println "%.4f" (memref.load m 3)))                                   ; CHECK-NEXT: 1.9546
