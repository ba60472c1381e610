; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s

; Every template of a small op against the op written out as loops, on sizes with
; and without a rest after the last 16. A view whose columns may be apart is
; taken by no template: so the second op of each pair is the reference.
; Tolerances: a sum of n terms below 2 in another order differs by less than
; n * 2^-23 of its value; exp and tanh by 3 units of the last place.
(require-dialect memref nn math arith)

; Numbers in -2 .. 2 that look random.
(defn fill! [(: m "memref<?x?xf32>") (: seed i64)]
  (for [i 0 (memref.dim m 0)]
    (for [j 0 (memref.dim m 1)]
      (def n (+ (* (cast i64 i) (: 7919 i64)) (* (cast i64 j) (: 104729 i64)) seed))
      (def mixed (% (* n (: 48271 i64)) (: 2147483647 i64)))
      (memref.store (- (/ (cast f32 mixed) (: 536870912.0 f32)) (: 2.0 f32)) m i j))))

(defn distance [(: a "memref<?x?xf32>") (: b "memref<?x?xf32>")] -> f32
  (fold [most (: 0.0 f32)] [i 0 (memref.dim a 0)]
    (fold [m most] [j 0 (memref.dim a 1)]
      (max m (math.absf (- (memref.load a i j) (memref.load b i j)))))))

(defn report [(: a "memref<?x?xf32>") (: b "memref<?x?xf32>") (: tolerance f32)]
  (def d (distance a b))
  (if (<= d tolerance) (print "  ok\n") (print "  differs by %g\n" (cast f64 d))))

(defmacro with-rows [names T C & body]
  `(do ~@(map (fn [name] `(def ~name (memref.alloc {:result "memref<?x?xf32>"} ~T ~C))) names) ~@body))

(defn layers [(: T index) (: C index)]
  (with-rows [x y a b] T C
    (fill! x (: 1 i64))
    (fill! y (: 2 i64))
    (def xs (cast "memref<?x?xf32, strided<[?, ?], offset: ?>>" x))

    (print "softmax %ld %ld\n" (cast i64 T) (cast i64 C))
    (nn.softmax x a)
    (nn.softmax xs b)
    (report a b (: 1e-6 f32))

    (print "gelu %ld %ld\n" (cast i64 T) (cast i64 C))
    (nn.gelu x a)
    (nn.gelu xs b)
    (report a b (: 1e-6 f32))

    (print "add %ld %ld\n" (cast i64 T) (cast i64 C))
    (nn.add x y a)
    (nn.add xs y b)
    (report a b (: 0.0 f32))))

(defn main []
  ; CHECK: softmax 3 37
  ; CHECK-NEXT: {{^}}  ok{{$}}
  ; CHECK-NEXT: gelu 3 37
  ; CHECK-NEXT: {{^}}  ok{{$}}
  ; CHECK-NEXT: add 3 37
  ; CHECK-NEXT: {{^}}  ok{{$}}
  (layers (: 3 index) (: 37 index))
  ; CHECK-NEXT: softmax 1 64
  ; CHECK-NEXT: {{^}}  ok{{$}}
  ; CHECK-NEXT: gelu 1 64
  ; CHECK-NEXT: {{^}}  ok{{$}}
  ; CHECK-NEXT: add 1 64
  ; CHECK-NEXT: {{^}}  ok{{$}}
  (layers (: 1 index) (: 64 index)))
