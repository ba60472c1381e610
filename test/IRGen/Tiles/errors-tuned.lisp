; Mistakes in (tuned ...), and in launches that leave constants open.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
(deftile p {:const [bm bn] :tune {:bm [32 64] :warps [4 8]}} [(: m memref<?x?xf32>)]
  (store (zeros f32 [bm bn]) m [0 0]))
; CHECK: :[[#@LINE+2]]:8: error[tile-tuned]: there is no tile program `pp`
; CHECK: hint: did you mean `p`?
(tuned pp {:const {:bm 32}})
; CHECK: :[[#@LINE+3]]:24: error[tile-tuned]: `33` is none of the values that `:tune` lists for `bm`
; CHECK: note: `p` is defined here
; CHECK: hint: `lispier tune` measures anew after a change of :tune
(tuned p {:const {:bm  33}})
; CHECK: :[[#@LINE+1]]:19: error[tile-tuned]: `:tune` of `p` does not list `bn`
(tuned p {:const {:bn 32}})
; CHECK: :[[#@LINE+1]]:18: error[tile-tuned]: `tuned` says which values: :const {:name value ...}
(tuned p {:const 32})
; CHECK: :[[#@LINE+2]]:30: error[tile-tuned]: `tuned` does not know `:size`
; CHECK: hint: its keys are :const, :targets, :sizes, :types, :compiler, :us
(tuned p {:const {:bm 32}    :size [1]})
; CHECK: :[[#@LINE+1]]:34: error[tile-tuned]: `:sizes` are the sizes of all memrefs of a launch, one after the other, such as [64 128]
(tuned p {:const {:bm 32} :sizes 1024})
; CHECK: :[[#@LINE+1]]:36: error[tile-tuned]: `:targets` is a vector of names, such as [sm_90a]
(tuned p {:const {:bm 32} :targets sm_90a})
; CHECK: :[[#@LINE+2]]:37: warning[tile-tuned]: these values were measured by another compiler, and are not used
; CHECK: hint: run `lispier tune` again
(tuned p {:const {:bm 32} :compiler "lispier 0.0.1 (LLVM 1)"})
(tuned p {:const {:bm 64} :sizes [1 2 3]})
(defn main [(: m memref<?x?xf32>)]
  ; CHECK: :[[#@LINE+1]]:3: error[tile-tuned]: `:sizes` of a `tuned` has 3 sizes, and the memrefs of this launch of `p` have 2
  (launch p {:grid [bm] :const {:bn 4}} m)
  ; A name of :grid that the launch does not leave open.
  ; CHECK: :[[#@LINE+1]]:21: error[{{.*}}]: `bn` is not defined
  (launch p {:grid [bn] :const {:bn 4 :bm 32}} m))
