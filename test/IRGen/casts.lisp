; `cast` from floats to integers: limits around arith.fptosi, which has no value for numbers out of range. A literal is
; folded, and what LLVM and MLIR fold is the same.
; RUN: lispier --emit=module %s | FileCheck %s
; RUN: lispier --emit=module %s | mlir-opt --canonicalize | FileCheck %s --check-prefix=FOLDED

(require-dialect func)

; CHECK-LABEL: func.func @scalar
; CHECK: %[[I:.*]] = arith.fptosi %arg0 : f64 to i16
; CHECK: arith.cmpf ole, %arg0, %{{.*}} : f64
; CHECK: %[[LOW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]] : i16
; CHECK: arith.cmpf oge, %arg0, %{{.*}} : f64
; CHECK: %[[HIGH:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOW]] : i16
; CHECK: arith.cmpf uno, %arg0, %arg0 : f64
; CHECK: %[[Y:.*]] = arith.select %{{.*}}, %{{.*}}, %[[HIGH]] : i16
; CHECK: return %[[Y]]
(defn scalar [(: x f64)] -> i16 (cast i16 x))

; i1 holds 0 and 1; short floats are compared as f32, in which i64's limits fit, too.
; CHECK-LABEL: func.func @conditions
; CHECK: %[[WIDE:.*]] = arith.extf %arg0 : vector<4xbf16> to vector<4xf32>
; CHECK: %[[Y:.*]] = arith.cmpf oge, %[[WIDE]], %{{.*}} : vector<4xf32>
; CHECK: return %[[Y]]
(defn conditions [(: x vector<4xbf16>)] -> vector<4xi1> (cast vector<4xi1> x))

; All finite numbers are within i256.
; CHECK-LABEL: func.func @wide
; CHECK: arith.constant 0xFF800000 : f32
; CHECK: arith.constant 0x7F800000 : f32
(defn wide [(: x f32)] -> i256 (cast i256 x))

; CHECK-LABEL: func.func @elements
; CHECK: tensor.empty(%{{.*}}) : tensor<?x4xi8>
; CHECK: linalg.map
; CHECK: arith.fptosi %{{.*}} : f32 to i8
; CHECK: arith.select
; CHECK: linalg.yield
(defn elements [(: x tensor<?x4xf32>)] -> tensor<?x4xi8> (cast tensor<?x4xi8> x))

; CHECK-LABEL: func.func @literals
; CHECK-DAG: arith.constant 127 : i8
; CHECK-DAG: arith.constant dense<-32768> : vector<4xi16>
; CHECK-DAG: arith.constant -2 : index
; CHECK-NOT: fptosi
; CHECK: return
(defn literals [] -> [i8 vector<4xi16> index]
  (func.return (cast i8 300.5) (cast vector<4xi16> -1000000000.5) (cast index -2.9)))

; FOLDED-LABEL: func.func @constants
; FOLDED-DAG: arith.constant 127 : i8
; FOLDED-DAG: arith.constant -2147483648 : i32
; FOLDED-NOT: fptosi
; FOLDED: return
(defn constants [] -> [i8 i32]
  (def large (: 300.5 f32))
  (def small (: -1e30 f64))
  (func.return (cast i8 large) (cast i32 small)))
