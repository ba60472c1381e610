; The code of an element is repeated for all elements of a thread: where it is long, a thread has one access, 4 elements
; instead of 16.
; RUN: lispier --emit=tiles --explain --target=rocm:gfx942 %s -o %t 2>&1 | FileCheck %s
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t 2>&1 | FileCheck %s --check-prefix=CUDA
; CHECK: [[#@LINE+3]]:{{.*}}: tiles of 1024, 4 warps
; CUDA: [[#@LINE+2]]:{{.*}}: tiles of 1024, 8 warps
(defn long [(: x (tensor 65536 f32))]
  (sin x))
; CHECK: [[#@LINE+3]]:{{.*}}: tiles of 4096, 4 warps
; CUDA: [[#@LINE+2]]:{{.*}}: tiles of 4096, 8 warps
(defn short [(: x (tensor 65536 f32))]
  (exp x))
(defn main []
  (println (long (zeros f32 [65536])))
  (println (short (zeros f32 [65536]))))
