; RUN: lispier run %s | FileCheck %s

; The template of nn.sample draws the tokens of the op written out as loops, for
; every combination of filters, and leaves the same state: sums of weights are
; integers, so not one token may differ. A view whose elements may be apart is
; taken by no template. 1003 logits: 62 times 16 and a rest of 11.
(require-dialect memref nn math arith)

; Logits in -8 .. 8 that look random, some equal to each other.
(defn fill! [(: logits "memref<?xf32>") (: seed i64)]
  (for [i 0 (memref.dim logits 0)]
    (def mixed (% (* (+ (* (cast i64 i) (: 7919 i64)) seed) (: 48271 i64)) (: 2147483647 i64)))
    (memref.store (/ (cast f32 (- (% mixed (: 4096 i64)) (: 2048 i64))) (: 256.0 f32)) logits i)))

; How many of 20 draws differ.
(defn differences [(: logits "memref<?xf32>") (: temperature f32) (: k i32) (: p f32)] -> i32
  (def scratch (memref.alloc {:result "memref<?xf32>"} (memref.dim logits 0)))
  (def state (memref.alloc {:result "memref<1xi64>"}))
  (def reference (memref.alloc {:result "memref<1xi64>"}))
  (def token (memref.alloc {:result "memref<1xi32>"}))
  (def expected (memref.alloc {:result "memref<1xi32>"}))
  (memref.store (: 1234 i64) state 0)
  (memref.store (: 1234 i64) reference 0)
  (def apart (cast "memref<?xf32, strided<[?], offset: ?>>" logits))
  (fold [wrong (: 0 i32)] [draw 0 20]
    (nn.sample logits scratch state temperature k p token)
    (nn.sample apart scratch reference temperature k p expected)
    (def same (arith.andi (= (memref.load token 0) (memref.load expected 0))
                          (= (memref.load state 0) (memref.load reference 0))))
    (if same wrong (+ wrong (: 1 i32)))))

(defmacro each-of [name values & body]
  `(do ~@(map (fn [value] `(let [~name ~value] ~@body)) values)))

(defn main []
  (def logits (memref.alloc {:result "memref<?xf32>"} (: 1003 index)))
  (for [seed 0 3]
    (fill! logits (cast i64 seed))
    (each-of temperature [(: 0.0 f32) (: 0.5 f32) (: 1.0 f32) (: 3.0 f32)]
      (each-of k [(: 0 i32) (: 1 i32) (: 40 i32) (: 2000 i32)]
        (each-of p [(: 0.0 f32) (: 0.9 f32) (: 1.0 f32)]
          (print "%d " (differences logits temperature k p)))))
    (print "\n"))
  ; CHECK-COUNT-3: {{^(0 ){48}$}}
  )
