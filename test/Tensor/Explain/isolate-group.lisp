; --emit=group:NAME is a program that times one kernel and compares it with the same ops one after the other. It runs
; for any target.
;
; RUN: lispier --emit=group:main_0 %s -o %t.product.mlir
; RUN: lispier run %t.product.mlir | FileCheck %s --check-prefix=PRODUCT
; RUN: lispier run --target=sim %t.product.mlir | FileCheck %s --check-prefix=PRODUCT
; PRODUCT: main_0: {{[0-9.]+}} us, {{[0-9.]+}} GB/s, {{[0-9.]+}} GFLOP/s; largest difference {{0|[0-9.]+e-0[6-9]}} of numbers up to {{[1-9]}}
;
; A kernel of rows with sizes that only the run knows: as given, and where its ops need equal sizes as the others.
; RUN: lispier --emit=group:rows_0 --sizes=r=5,c=33 %s -o %t.rows.mlir
; RUN: FileCheck %s --check-prefix=SIZES --input-file=%t.rows.mlir
; RUN: lispier run %t.rows.mlir | FileCheck %s --check-prefix=ROWS
; RUN: lispier run --target=sim %t.rows.mlir | FileCheck %s --check-prefix=ROWS
; SIZES-DAG: memref.alloc() {{.*}} : memref<5x33xbf16>
; SIZES-DAG: memref.alloc() {{.*}} : memref<33xf32>
; SIZES: group.kernel "rows_0" kind(row)
; SIZES-LABEL: func.func private @rows_0_reference
; SIZES-NOT: linalg.
; SIZES: scf.for
; ROWS: rows_0: {{.*}} largest difference {{0|[0-9.e-]+}} of numbers up to
;
; A tensor that the kernel changes in place begins with the same numbers for both; integers are 0 or 1.
; RUN: lispier --emit=group:stored_0 --sizes=v=4 %s -o %t.stored.mlir
; RUN: lispier run %t.stored.mlir | FileCheck %s --check-prefix=STORED
; RUN: lispier run --target=sim %t.stored.mlir | FileCheck %s --check-prefix=STORED
; STORED: stored_0: {{.*}} largest difference 0 of numbers up to
;
; RUN: not lispier --emit=group:main_9 %s 2>&1 | FileCheck %s --check-prefix=NAMES
; NAMES: error{{.*}}: no kernel of tensor ops is called `main_9`; there are {{.*}}rows_0{{.*}}main_0
; RUN: not lispier --emit=group:rows_0 --sizes=x[7]=2 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: error{{.*}}: the kernel `rows_0` has no size `x[7]` that only the run knows; there are c, r
; RUN: not lispier --emit=group:mixed_0 --sizes=x[1]=2,g[0]=3 %s 2>&1 | FileCheck %s --check-prefix=DIFFER
; DIFFER: error{{.*}}: the kernel `mixed_0` needs equal sizes, and g[0] is 3, x[1] is 2; --sizes can say what they are
; RUN: not lispier --emit=group:rows_0 --sizes=c=many %s 2>&1 | FileCheck %s --check-prefix=NUMBER
; NUMBER: error{{.*}}: a size is written as n0=512, not as `c=many`
; RUN: not lispier run --sizes=n0=2 %s 2>&1 | FileCheck %s --check-prefix=ALONE
; ALONE: `--sizes` is for `--emit=group:NAME` and `--explain`

; A size without a name of its own is called by its parameter's.
(defn mixed [(: x (tensor r _ bf16)) (: g (tensor _ f32))]
  (* g (softmax (cast f32 x))))
(defn rows [(: x (tensor r c bf16)) (: g (tensor c f32))]
  (* g (softmax (cast f32 x))))

(defn stored [(: table (tensor v 8 f32)) (: places (tensor t i32)) (: seen (tensor t i1))]
  (where (reshape seen [t 1]) (gather table places) 0.0))

(defn main []
  (def w (full f32 [8 16] 0.5))
  (println (sum (gelu (+ 1.0 (matmul w (transpose (* 2.0 w))))))))
