; Results do not depend on the number of threads, to the last bit: chunks of a sum are those of its size alone.
; RUN: env LISPIER_THREADS=1 lispier run %s %t.1
; RUN: env LISPIER_THREADS=2 lispier run %s %t.2 && cmp %t.1 %t.2
; RUN: env LISPIER_THREADS=3 lispier run %s %t.3 && cmp %t.1 %t.3
; RUN: env LISPIER_THREADS=7 lispier run %s %t.7 && cmp %t.1 %t.7
(defn numbers [(: n index)] -> (tensor _ f32) (sin (* 0.37 (cast f32 (iota i32 [n])))))
(defn every [(: x (tensor n f32)) (: w (tensor r c f32)) (: h (tensor r c bf16))]
  (concat
    (reshape (sum x) [1])                                  ; All elements: chunks are added.
    (reshape (mean (* x x)) [1])
    (sum w :axis 0)                                        ; Columns,
    (sum w :axis 1)                                        ; and rows.
    (reshape (softmax w) [(* r c)])
    (reshape (einsum "rc,sc->rs" w w) [(* r r)])           ; Products, of few and of many summed numbers.
    (reshape (einsum "rc,rd->cd" h h :out f32) [(* c c)])
    (einsum "rc,c->r" w (at w 0))
    (reshape (einsum "rc,rc->" w w) [1])
    (cumsum (at w 1))
    (reshape (max x) [1])))
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (numbers 300007))
  (def w (reshape (numbers 39601) [199 199]))
  (save-npy (every x w (cast bf16 w)) (ptr-load !llvm.ptr argv)))
