; Drawing a token from logits: its steps are those of nn.sample, whose numbers test/dialects/NN checks.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s
(require-dialect memref)

(defn after-seed [(: seed i64)] -> memref<1xi64>
  (def state (memref.alloc {:result memref<1xi64>}))
  (memref.store seed state 0)
  state)

; How many of 100 draws are the token.
(defn count-of [(: logits (tensor v f32)) (: token i32) (: state memref<1xi64>)] -> i32
  (fold [n (: 0 i32)] [i 0 100] (+ n (cast i32 (= token (at (sample logits state 1.0 0 1.0) 0))))))

; The token is an index without leaving the device.
(defn next-row [(: table (tensor v c f32)) (: logits (tensor v f32)) (: state memref<1xi64>)] -> (tensor 1 c f32)
  (embedding table (sample logits state 1.0 1 1.0)))

(defn main []
  (def logits (sin (* 7.1 (iota f32 [101]))))
  (def state (after-seed 7))
  ; The temperature 0, one token, and a share that the first token has, are the likeliest token.
  (println (argmax logits))                  ; CHECK: i32 [] 25
  (println (sample logits state 0.0 0 1.0))  ; CHECK-NEXT: i32 [1]
                                             ; CHECK-NEXT: [25]
  (println (memref.load state 0))            ; CHECK-NEXT: 7
  (println (sample logits state 1.0 1 1.0))  ; CHECK: [25]
  (println (sample logits state 1.0 0 1e-9)) ; CHECK: [25]
  ; Draws 3 and 4 of the seed 7, at 0.0893 and 0.1076 of the sum of the weights; computed outside of Lispier.
  (println (sample logits state 1.0 0 1.0))  ; CHECK: [9]
  (println (sample logits state 1.0 10 0.9)) ; CHECK: [2]
  ; Probabilities 0.1, 0.2, 0.7: of 100 draws about so many, within 4 standard deviations, and the same every time.
  (def few (log (+ 0.1 (* (iota f32 [3]) (- (* 0.2 (iota f32 [3])) 0.1)))))
  (def seldom (count-of few 0 (after-seed 1)))
  (def often (count-of few 2 (after-seed 1)))
  (println (and (> seldom 0) (< seldom 23))) ; CHECK: 1
  (println (and (> often 51) (< often 89)))  ; CHECK: 1
  (println (next-row (reshape (iota f32 [202]) [101 2]) logits state))) ; CHECK: [50 51]
