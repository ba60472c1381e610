; Parts of tiles that are one element of 8 or 16 bits: LLVM's code generator ended where it took vectors of one apart.
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t
(defn f [(: a (tensor n m k 2 i8)) (: b (tensor k 2 f64)) (: c (tensor 2 f64))]
  (+ (cast f64 (cast i16 (tanh (+ (cast f64 a) b)))) c))
(defn main [] (println 1))
