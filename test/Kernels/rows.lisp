; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS

; The templates of nn.layer_norm and nn.argmax against the ops written out as
; loops, on sizes with and without a rest after the last 16. A view whose columns
; may be apart is taken by no template: so the second op of each pair is the
; reference.
; LOOPS-COUNT-3: call @__template_nn.layer_norm
; LOOPS: call @__template_nn.argmax
; LOOPS-NOT: call @__template_nn
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

(defmacro new-rows [T N C seed]
  `(let [m (memref.alloc {:result ~(str "memref<?x?x" T ">")} ~N ~C)]
     (for [i 0 ~N] (for [j 0 ~C] (memref.store (cast ~T (+ (random ~seed i j) (: 3.0 f32))) m i j)))
     m))

; Tolerance: the mean, 3, is C terms in two orders: C 2^-24 of it, 4 times as much
; after the division by the deviation, which is above 1/2; a BF16 result below 4 is
; rounded to 2^-7.
(defmacro define-norm [name A W O rounding]
  `(defn ~name [(: T index) (: C index)]
     (def x (new-rows ~A T C 1))
     (def weight (new-row ~W C 2))
     (def bias (new-row ~W C 3))
     (def a (new-rows ~O T C 4))
     (def b (new-rows ~O T C 5))
     (def epsilon (: 1.0e-5 f32))
     (nn.layer_norm x weight bias a epsilon)
     (nn.layer_norm x weight bias (cast ~(str "memref<?x?x" O ", strided<[?, ?], offset: ?>>") b) epsilon)
     (def most
       (fold [most (: 0.0 f32)] [i 0 T]
         (fold [m most] [j 0 C]
           (max m (math.absf (- (cast f32 (memref.load a i j)) (cast f32 (memref.load b i j))))))))
     (def tolerance (+ (* (cast f32 C) (: 7.2e-7 f32)) (: 1.0e-6 f32) (: ~rounding f32)))
     (if (<= most tolerance) (print "ok\n") (print "differs by %g, allowed %g\n" (cast f64 most) (cast f64 tolerance)))))
(define-norm norm f32 bf16 f32 0.0)
(define-norm norm-f32 f32 f32 f32 0.0)
(define-norm norm-bf16 f32 bf16 bf16 0.008)

; Equal logits, NaN at some places and -inf at others.
(defn largest [(: V index) (: levels i64) (: nan-each index) (: low-each index)]
  (def logits (memref.alloc {:result memref<?xf32>} V))
  (for [i 0 V]
    (def level (% (* (cast i64 i) (: 48271 i64)) levels))
    (memref.store (cast f32 level) logits i)
    (if (= (% i low-each) 0) (memref.store (: -inf f32) logits i))
    (if (= (% i nan-each) 0) (memref.store (: nan f32) logits i)))
  (def a (memref.alloc {:result memref<1xi32>}))
  (def b (memref.alloc {:result memref<1xi32>}))
  (nn.argmax logits a)
  (nn.argmax (cast "memref<?xf32, strided<[?], offset: ?>>" logits) b)
  (if (= (memref.load a 0) (memref.load b 0)) (print "ok\n") (print "%d, not %d\n" (memref.load a 0) (memref.load b 0))))

(defn main []
  ; CHECK-COUNT-14: {{^ok$}}
  (norm (: 1 index) (: 768 index))
  (norm (: 7 index) (: 100 index))
  (norm (: 3 index) (: 5 index))
  (norm-f32 (: 2 index) (: 67 index))
  (norm (: 3 index) (: 1024 index))
  (norm (: 2 index) (: 1028 index))
  (norm-bf16 (: 5 index) (: 80 index))
  (norm-bf16 (: 1 index) (: 37 index))
  (largest (: 50257 index) (: 40000 i64) (: 3 index) (: 5 index))
  (largest (: 1000 index) (: 7 i64) (: 2 index) (: 1000 index))
  (largest (: 35 index) (: 3 i64) (: 7 index) (: 2 index))
  (largest (: 5 index) (: 100 i64) (: 1000 index) (: 1000 index))
  ; Nothing but NaN, nothing but -inf.
  (largest (: 100 index) (: 7 i64) (: 1 index) (: 100 index))
  (largest (: 100 index) (: 7 i64) (: 1000 index) (: 1 index)))
