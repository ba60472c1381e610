; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; CHECK-COUNT-63: {{ ok$}}
; CHECK-NOT: wrong

; nn.attention where a key or a value is NaN or infinite: beside the same call without, tokens that do not see it, and
; heads that have other keys, keep their results. For tokens that see it, a key that is NaN makes all columns NaN, and a
; value only its own column, in which it is the result. tools/dev/gpu-check runs this on a GPU.
; Tolerance: two results of one formula, as in attention-masks.lisp and prefill.lisp.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp" "Inputs/attention.lisp")

;; What differs in the results a and b of T tokens: the columns of a that are not as they should be.
(defmacro define-unseen [name A cached attributes window allowed & in-memory]
  (let [cube (str "memref<?x?x?x" A ">")
        cells (if (empty? in-memory) `[[position] []] `[[position] [window]])
        caches (concat (if cached `[[old-keys] [old-values]] `[[] []]) cells)]
    `(do
       (defn ~(symbol (str name "-call")) [(: q ~cube) (: k ~cube) (: v ~cube) (: old-keys ~cube) (: old-values ~cube)
                                           (: start i32) (: out ~cube)]
         (def position (memref.alloc {:result memref<1xi32>}))
         (memref.store start position 0)
         (def window (memref.alloc {:result memref<1xi32>}))
         (memref.store (: ~window i32) window 0)
         (nn.attention ~attributes q k v ~@caches out))
       ;; bad: the position of the key, or value, of the first head of keys that is x.
       (defn ~name [(: T index) (: H index) (: G index) (: D index) (: P index) (: start i32) (: bad index)
                    (: in-key i1) (: x f32)]
         (def o (cast index start))
         (def first ~(if cached `o `(: 0 index))) ; The position of the first row of k and v.
         (def rows ~(if cached `T `P))
         (def q (new-cache ~A T H D 1))
         (def k (new-cache ~A rows G D 2))
         (def v (new-cache ~A rows G D 3))
         (def old-keys (new-cache ~A G P D 4))
         (def old-values (new-cache ~A G P D 5))
         (def a (new-cache ~A T H D 6))
         (def b (new-cache ~A T H D 7))
         (~(symbol (str name "-call")) q k v old-keys old-values start b)
         (def column (- D 1))
         (if (< bad first)
           (memref.store (cast ~A x) (arith.select in-key old-keys old-values) 0 bad column)
           (memref.store (cast ~A x) (arith.select in-key k v) (- bad first) 0 column))
         (~(symbol (str name "-call")) q k v old-keys old-values start a)
         (def wrong
           (fold [wrong (: 0 i64)] [t 0 T]
             (fold [wrong wrong] [h 0 H]
               (fold [wrong wrong] [d 0 D]
                 (def own (+ o t))
                 (def seen (and (< h (/ H G)) (<= bad own) (< own (+ bad ~window))))
                 (def it (cast f32 (memref.load a t h d)))
                 (def same (<= (math.absf (- it (cast f32 (memref.load b t h d)))) (~allowed D)))
                 (def as-x (if (= x x) (= it x) (!= it it)))
                 (def right (if seen (if in-key (!= it it) (if (= d column) as-x same)) same))
                 (if right wrong (+ wrong (: 1 i64)))))))
         (print "%ld tokens, %ld of %ld heads of %ld, at %d: " (cast i64 T) (cast i64 H) (cast i64 G) (cast i64 D) start)
         (if (= wrong (: 0 i64)) (print "ok\n") (print "%ld numbers are wrong\n" wrong))))))

(defmacro bf16-weights [D] `(: 0.012 f32))
(defmacro two-terms [D] `(: 0.0001 f32))
(define-unseen causal f32 true {} 1000000 two-terms)
(define-unseen causal-bf16 bf16 true {} 1000000 bf16-weights)
(define-unseen among f32 false {} 1000000 two-terms)
(define-unseen among-bf16 bf16 false {} 1000000 bf16-weights)
(define-unseen window f32 true {:window 5} 5 two-terms)
(define-unseen window-bf16 bf16 true {:window 5} 5 bf16-weights)
(define-unseen stored f32 true {} 37 two-terms true)
(define-unseen stored-bf16 bf16 true {} 37 bf16-weights true)

;; A value and a key that is NaN, and an infinite value.
(defmacro each-kind [name & sizes]
  `(do (~name ~@sizes false nan) (~name ~@sizes true nan) (~name ~@sizes false inf)))

(defn main []
  ; One token.
  (each-kind causal 1 4 2 64 40 20 7)
  (each-kind window 1 4 2 64 40 20 15)
  (each-kind window-bf16 1 2 1 128 40 20 16)
  (each-kind stored 1 2 2 40 64 50 13)
  ; A few: positions of the last token, of one in the middle, of an earlier call, and on both sides of a window's edge.
  (each-kind causal 7 4 2 40 40 20 24)
  (each-kind causal 6 2 2 64 40 9 14)
  (each-kind causal-bf16 5 4 1 80 40 3 5)
  (each-kind window 9 2 1 16 40 20 17)
  (each-kind stored-bf16 6 2 2 64 64 40 4)
  ; More than a tile of 32 or 64.
  (each-kind causal 70 4 2 64 100 20 60)
  (each-kind causal-bf16 70 2 2 64 100 20 89)
  (each-kind causal-bf16 70 2 1 128 100 20 20)
  (each-kind causal-bf16 40 2 1 80 64 0 39)
  (each-kind among 67 2 2 64 67 0 33)
  (each-kind among-bf16 67 4 2 64 67 0 1)
  (each-kind among-bf16 67 2 2 128 67 0 66)
  (each-kind window 40 2 1 80 64 20 30)
  (each-kind window-bf16 70 4 2 64 100 20 3)
  (each-kind window-bf16 70 2 2 128 100 20 44)
  (each-kind stored 70 4 2 64 140 60 30)
  (each-kind stored-bf16 70 2 1 64 140 60 99))
