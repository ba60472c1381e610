; Loads of a product's factors from shared memory access all banks at once, also where the summed dimension is contiguous
; in both: the rows of a factor that a warp reads together are then four or eight apart.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: %{python} %S/Inputs/bank_conflicts.py %t.ptx rows_0 | FileCheck %s
; RUN: %{python} %S/Inputs/bank_conflicts.py %t.ptx columns_0_parts | FileCheck %s
; CHECK: {{^}}256 accesses for 64 loads
(defn rows [(: a (tensor 256 512 f32)) (: b (tensor 256 512 f32))] (einsum "mk,nk->mn" a b))
(defn columns [(: a (tensor 256 512 f32)) (: b (tensor 512 256 f32))] (einsum "mk,kn->mn" a b))
(defn main []
  (println (sum (rows (zeros f32 [256 512]) (zeros f32 [256 512]))))
  (println (sum (columns (zeros f32 [256 512]) (zeros f32 [512 256])))))
