; exp, tanh and the others have their values, on numbers and on vectors.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref vector)
(defkernel kernel [(: out memref<?xf32>) (: x f32)]
  (memref.store (exp x) out 0)
  (memref.store (log x) out 1)
  (memref.store (sqrt x) out 2)
  (memref.store (rsqrt x) out 3)
  (memref.store (sin x) out 4)
  (memref.store (cos x) out 5)
  (memref.store (tanh x) out 6)
  (memref.store (erf x) out 7)
  (memref.store (sigmoid x) out 8)
  (memref.store (floor x) out 9)
  (memref.store (ceil x) out 10)
  (memref.store (abs (- x)) out 11)
  (memref.store (pow x 3) out 12))
(defn main []
  (def out (device-alloc "memref<?xf32>" [13]))
  (launch kernel {} out 1.75)
  (def values (memref.alloc {:result "memref<?xf32>"} (: 13 index)))
  (download! values out)
  ; CHECK: 5.7546{{$}}
  ; CHECK-NEXT: 0.5596{{$}}
  ; CHECK-NEXT: 1.3229{{$}}
  ; CHECK-NEXT: 0.7559{{$}}
  ; CHECK-NEXT: 0.9840{{$}}
  ; CHECK-NEXT: -0.1782{{$}}
  ; CHECK-NEXT: 0.9414{{$}}
  ; CHECK-NEXT: 0.9867{{$}}
  ; CHECK-NEXT: 0.8520{{$}}
  ; CHECK-NEXT: 1.0000{{$}}
  ; CHECK-NEXT: 2.0000{{$}}
  ; CHECK-NEXT: 1.7500{{$}}
  ; CHECK-NEXT: 5.3594{{$}}
  (for [i 0 13] (println "%.4f" (memref.load values i)))
  ; CHECK-NEXT: 1.0000 7.3891
  (def v (exp (: [0.0 2.0] vector<2xf32>)))
  (println "%.4f %.4f" (vector.extract v 0) (vector.extract v 1)))
