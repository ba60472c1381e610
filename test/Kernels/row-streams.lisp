; On Zen 4 a thread reads four ranges of rows at once, and prefetches nothing; on other processors one, prefetched 4 KiB
; ahead (lib/Kernels/tuning.lisp).
; RUN: lispier --emit=loops --cpu=znver4 %s | FileCheck %s --check-prefix=FOUR
; RUN: lispier --emit=loops --cpu=znver5 %s | FileCheck %s --check-prefix=ONE
; FOUR-LABEL: func.func private @__template_nn.linear
; FOUR: scf.for {{.*}} iter_args
; FOUR-NOT: memref.prefetch
; FOUR-COUNT-8: vector.fma
; FOUR: scf.yield
; ONE-LABEL: func.func private @__template_nn.linear
; ONE: scf.for {{.*}} iter_args
; ONE: memref.prefetch
; ONE-COUNT-4: vector.fma
; ONE-NOT: vector.fma
; ONE: scf.yield
(require-dialect nn memref)

(defn product [(: w "memref<?x?xbf16>") (: x "memref<1x?xf32>") (: y "memref<1x?xf32>")]
  (nn.linear {:activation "#nn<activation none>"} [x] [w] [] [] [y]))
