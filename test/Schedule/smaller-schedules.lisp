; Tiles that a block has no registers or no shared memory for are made smaller until it has: no schedule of the
; compiler's own is refused.
; RUN: lispier --emit=ptx --target=cuda:sm_90a --explain %s -o %t 2>&1 | FileCheck %s --check-prefix=NVIDIA
; RUN: lispier --emit=hsaco --target=rocm:gfx942 --explain %s -o %t 2>&1 | FileCheck %s --check-prefix=AMD
; RUN: lispier --emit=device-llvm --target=cuda:sm_80 %s -o %t
; RUN: lispier --emit=device-llvm --target=rocm:gfx1100 %s -o %t
; RUN: lispier run %s x | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:sm_90a %s x | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:gfx942 %s x | FileCheck %s --check-prefix=RESULT

; Chunks of 10,240 numbers of 8 bytes would take 160 registers of a thread, which has 128.
; NVIDIA: kernel wide_0: a tile program of 4
; NVIDIA: tiles of 1, reductions in steps of 8192, 16 warps
(defn wide [(: p (tensor n f64))] (log-softmax p))
; Numbers of a byte that become words: 81,920 bytes of shared memory, and a block of gfx942 has 65,536.
; AMD: kernel narrow_0: a tile program of 4
; AMD: tiles of 1 x 1, reductions in steps of 8192, 16 warps
(defn narrow [(: p (tensor n m i8))] (softmax (cast f32 p)))

; RESULT: f64 [] -9.10498
; RESULT-NEXT: f32 [] 1
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def n (cast index (* 9000 argc)))
  (println (mean (wide (zeros f64 [n]))))
  (println (sum (narrow (zeros i8 [1 n])))))
