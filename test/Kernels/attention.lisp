; RUN: env LISPIER_THREADS=1 lispier run %s > %t.1
; RUN: FileCheck %s < %t.1
; RUN: env LISPIER_THREADS=2 lispier run %s > %t.2
; RUN: cmp %t.1 %t.2
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=SIM
; RUN: lispier run --target=sim:64 %s | FileCheck %s --check-prefix=SIM
; SIM-COUNT-9: ok
; SIM-NOT: differ
; RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS

; The template of nn.attention against the op written out as loops: one and several
; tokens, at the start and after others, beyond one block of 1024 positions, and
; heads that are and are not a multiple of 16 and 64 wide. A view whose columns may
; be apart is taken by no template: so the second op of each pair is the reference.
; The caches have to be the same; what they do not have yet is NaN. Tolerance: scores are below 8; a score of D terms
; differs by less than D 2^-24 of that, a weight by as much of itself, and the
; values, which are below 2, are averaged; BF16 results are rounded to 2^-8.
; LOOPS-COUNT-2: call @__template_nn.attention
; LOOPS-NOT: call @__template_nn.attention
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

(defmacro forget! [A cache start]
  `(for [h 0 (memref.dim ~cache 0)] (for [p ~start (memref.dim ~cache 1)] (for [d 0 (memref.dim ~cache 2)]
     (memref.store (: nan ~A) ~cache h p d)))))
(defmacro define-check [name A rounding]
  `(do
     (defn ~(symbol (str name "-same")) [(: a ~(str "memref<?x?x?x" A ">")) (: b ~(str "memref<?x?x?x" A ">"))
                                         (: end index)] -> i32
       (fold [wrong (: 0 i32)] [h 0 (memref.dim a 0)]
         (fold [wrong wrong] [p 0 end]
           (fold [wrong wrong] [d 0 (memref.dim a 2)]
             (if (= (memref.load a h p d) (memref.load b h p d)) wrong (+ wrong (: 1 i32)))))))
     (defn ~name [(: T index) (: H index) (: D index) (: P index) (: start i32)]
       (def C (* H D))
       (def qkv (new-rows ~A T (* 3 C) 1))
       (def k (new-cache ~A H P D 2))
       (def v (new-cache ~A H P D 3))
       (def k2 (new-cache ~A H P D 2))
       (def v2 (new-cache ~A H P D 3))
       ~@(map (fn [cache] `(forget! ~A ~cache (cast index start))) [`k `v `k2 `v2])
       (def a (new-rows ~A T C 4))
       (def b (new-rows ~A T C 5))
       (def position (memref.alloc {:result memref<1xi32>}))
       (memref.store start position 0)
       (nn.attention qkv k v position a)
       (nn.attention qkv k2 v2 position (cast ~(str "memref<?x?x" A ", strided<[?, ?], offset: ?>>") b))
       (def most
         (fold [most (: 0.0 f32)] [i 0 T]
           (fold [m most] [j 0 C]
             (max m (math.absf (- (cast f32 (memref.load a i j)) (cast f32 (memref.load b i j))))))))
       (def end (+ (cast index start) T))
       (def tolerance (+ (* (cast f32 D) (: 2.0e-6 f32)) (: ~rounding f32)))
       (print "%ld tokens, %ld x %ld, at %d: %a " (cast i64 T) (cast i64 H) (cast i64 D) start
         (cast f64 (cast f32 (memref.load a (- T 1) (- C 1)))))
       (if (> (+ (~(symbol (str name "-same")) k k2 end) (~(symbol (str name "-same")) v v2 end)) (: 0 i32))
         (print "the caches differ\n")
         (if (<= most tolerance) (print "ok\n") (print "differs by %g, allowed %g\n" (cast f64 most) (cast f64 tolerance)))))))
(define-check check f32 0.0)
(define-check check-bf16 bf16 0.008)

(defn main []
  ; CHECK-COUNT-9: {{ ok$}}
  (check (: 1 index) (: 3 index) (: 64 index) (: 32 index) (: 0 i32))
  (check (: 1 index) (: 2 index) (: 64 index) (: 99 index) (: 98 i32))
  (check (: 1 index) (: 1 index) (: 80 index) (: 2100 index) (: 2060 i32))
  (check (: 2 index) (: 2 index) (: 7 index) (: 1100 index) (: 1030 i32))
  (check (: 7 index) (: 3 index) (: 40 index) (: 64 index) (: 5 i32))
  (check (: 64 index) (: 2 index) (: 64 index) (: 64 index) (: 0 i32))
  (check (: 33 index) (: 1 index) (: 128 index) (: 64 index) (: 2 i32))
  (check-bf16 (: 1 index) (: 2 index) (: 64 index) (: 64 index) (: 37 i32))
  (check-bf16 (: 7 index) (: 2 index) (: 64 index) (: 64 index) (: 3 i32)))
