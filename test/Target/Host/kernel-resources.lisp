; --explain says what a kernel takes of a multiprocessor, where the binary says so: registers, spills and static shared
; memory. The driver makes registers of PTX, of which nothing is said.
; RUN: lispier --emit=hsaco --explain --target=rocm:gfx942 %s -o %t 2>&1 | FileCheck %s --check-prefix=HSACO
; RUN: lispier build --explain --target=rocm:gfx942 %s -o %t 2>&1 | FileCheck %s --check-prefix=HSACO
; RUN: lispier --emit=ptx --explain --target=cuda:sm_80 %s -o %t 2>&1 | FileCheck %s --allow-empty --check-prefix=PTX
; RUN: %if ptxas %{ lispier --emit=cubin --explain --target=cuda:sm_80 %s -o %t 2>&1 | FileCheck %s --check-prefix=CUBIN %}
; HSACO: kernel-resources.lisp:[[#@LINE+7]]:{{.*}}: kernel turned: {{[1-9][0-9]*}} VGPRs, no spills, {{[1-9][0-9]*}} SGPRs, no spills, 1024 bytes of static LDS
; CUBIN: kernel-resources.lisp:[[#@LINE+6]]:{{.*}}: kernel turned: {{[1-9][0-9]*}} registers, no spills, 1024 bytes of static shared memory
; PTX-NOT: registers
(require-dialect memref)
(defn main []
  (def x (full f32 [256] 1.0))
  (def memory (to-memref x))
  (launch {:name turned :grid [1] :block [256]}
    (def line (shared f32 [256]))
    (def i (thread-id :x))
    (memref.store (memref.load memory i) line i)
    (barrier)
    (memref.store (memref.load line (- 255 i)) memory i))
  (println (sum x)))
