; Random numbers by hand: a hash of the element's number and a seed, so that each element has its own, whatever the
; order (the mixing of MurmurHash3). Shared by the programs of this folder. The language has `uniform` and `normal`,
; whose numbers are better ones.
; RUN: lispier check %s
(require-dialect arith)

(defn shifted [x (: bits i32)] (arith.xori x (arith.shrui x (broadcast bits [(dim x 0)]))))

; n numbers of [0, 1).
(defn uniform [(: n index) (: seed i32)]
  (def a (+ (iota i32 [n]) (* seed 1640531527)))
  (def b (* (shifted a 16) -2048144789))
  (def c (* (shifted b 13) -1028477387))
  (def d (arith.shrui (shifted c 16) (broadcast (: 8 i32) [n])))
  (* (cast f32 d) 5.9604645e-8))
