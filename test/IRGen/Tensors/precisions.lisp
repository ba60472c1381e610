; :precision of products of tensors: a program's word reaches the tile program's product, and is no name.
; RUN: lispier run %s | FileCheck %s --check-prefixes=CHECK,EXACT
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefixes=CHECK,ROUNDED
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES

; TILES-DAG: vector.contract {{.*}}tile.precision = #tile.precision<bf16>
; TILES-DAG: vector.contract {{.*}}tile.precision = #tile.precision<tf32x3>

; Without types, where names are checked before a call gives them.
(defn rounded [a b] (matmul a b :precision bf16))
(defn terms [a b] (einsum "mk,kn->mn" a b :precision tf32x3))
(defn wide [(: a (tensor m k f32)) (: b (tensor k n bf16))] -> (tensor m n f32) (matmul a b :precision bf16x3))
; The program's own keyword.
(defn chosen [a b & {:precision f32}] (matmul a b :precision precision))

(defn main []
  ; 1 + 2^-8 is 1 in BF16.
  (def a (full f32 [64 64] 1.00390625))
  (def b (full f32 [64 64] 1.0))
  ; EXACT: f32 [] 64.25
  ; ROUNDED: f32 [] 64{{$}}
  (println (max (rounded a b)))
  ; CHECK-NEXT: f32 [] 64.25
  (println (max (terms a b)))
  ; CHECK-NEXT: f32 [] 64.25
  (println (max (wide a (cast bf16 b))))
  ; CHECK-NEXT: f32 [] 64.25
  (println (max (chosen a b)))
  ; CHECK-NEXT: f32 [] 64.25
  (println (max (chosen a b :precision tf32x3))))
