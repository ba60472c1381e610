; expm1 and log1p of f64 keep their digits near zero, in scalars and in vectors.
; RUN: lispier --emit=llvm %s | FileCheck %s --check-prefix=LLVM
; RUN: lispier run %s | FileCheck %s
(require-dialect math vector)

; LLVM-LABEL: define{{.*}} @scalars
; LLVM: call double @expm1(
; LLVM: call double @log1p(
(defn scalars [(: x f64)]
  (println "%.16g %.16g" (math.expm1 x) (math.log1p x)))

(defn vectors [(: x f64)]
  (def v (vector.broadcast {:result vector<2xf64>} x))
  (println "%.16g %.16g" (vector.extract (math.expm1 v) 0) (vector.extract (math.log1p v) 1)))

(defn main []
  ; CHECK: {{^}}1e-18 1e-18{{$}}
  (scalars 1e-18)
  ; CHECK-NEXT: {{^}}-9.999999999500001e-11 -1.00000000005e-10{{$}}
  (scalars -1e-10)
  ; CHECK-NEXT: {{^}}1.000000000000005e-14 9.99999999999995e-15{{$}}
  (vectors 1e-14)
  ; CHECK-NEXT: {{^}}1.718281828459045 0.6931471805599453{{$}}
  (scalars 1.0))
