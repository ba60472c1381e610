; RUN: lispier --emit=ptx --target=cuda:sm_75 %s -o - | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=ASYNC

; A chip without asynchronous copies fills the stages of a loop by loads and stores, and has nothing to wait for.
(require-dialect memref)

; CHECK-LABEL: .entry square_32(
; CHECK: st.shared
; CHECK: bar.sync
; CHECK-NOT: cp.async
; ASYNC: cp.async.wait_group
(deftile square {:const [n] :stages 2} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (store (fold [s (zeros f32 [n n])] [k 0 (memref.dim x 1) n]
           (dot (load x [0 k] [n n]) (load x [0 k] [n n]) s :transpose-b true))
         y [0 0]))

(defn squared [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch square {:grid [1] :const {:n 32}} x y))
