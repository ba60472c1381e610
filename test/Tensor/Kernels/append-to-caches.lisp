; Attention over caches writes the new keys and values itself, where the program does so just before, from the position
; in memory that the mask has.
; Names of sizes, by which sizes of arguments are known to be equal, are in locations.
; DEFINE: %{matched} = lispier --emit=tiles --print-ir-after=lispier-match-kernels %s -o %t 2>&1
; RUN: %{matched} --target=cuda:sm_90a | FileCheck %s
; RUN: %{matched} | FileCheck %s --check-prefix=CPU
; CPU-LABEL: func.func @cached(
; CPU: memref.load
; CPU: nn.attention {{.*}} cache
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=NAMED
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --templates=false %s | FileCheck %s --check-prefix=VALUE

(defn heads [x & {:count 2}] (transpose (reshape x [(dim x 0) count (/ (dim x 1) count)]) [1 0 2]))
(defn seen-by [q k v position]
  (def seen (<= (iota i32 [(dim k 1)]) (+ position (iota i32 [(dim q 1) 1] :axis 0))))
  (def scores (* 0.5 (einsum "htd,hsd->hts" q k)))
  (einsum "hts,hsd->thd" (softmax (where seen scores -inf)) v))

; On a GPU nothing reads the position on the host then, not even to check it.
; CHECK-LABEL: func.func @cached(
; CHECK-NOT: memref.load
; CHECK: nn.attention {{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} into
; CHECK-NOT: group.kernel "cached
; CHECK-NOT: memref.copy
; CHECK: return
(defn cached [(: q (tensor t c f32)) (: k (tensor t c f32)) (: v (tensor t c f32)) (: position (tensor i32))
              (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))] -> (tensor t h d f32)
  (update keys (heads k) [0 position 0])
  (update values (heads v) [0 position 0])
  (seen-by (heads q) keys values position))

; Also of one token that the type knows of, whose rows need no other order, and of a known number of tokens.
; CHECK-LABEL: func.func @"one-token"(
; CHECK-NOT: memref.load
; CHECK: nn.attention {{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} into
; CHECK-NOT: group.kernel "one-token
; CHECK-NOT: memref.copy
; CHECK: return
(defn one-token [(: q (tensor 1 c f32)) (: k (tensor 1 c f32)) (: v (tensor 1 c f32)) (: position (tensor i32))
                 (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))] -> (tensor 1 h d f32)
  (update keys (heads k) [0 position 0])
  (update values (heads v) [0 position 0])
  (seen-by (heads q) keys values position))
; CHECK-LABEL: func.func @"four-tokens"(
; CHECK: nn.attention {{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} into
; CHECK-NOT: kind(copy)
; CHECK: return
(defn four-tokens [(: q (tensor 4 c f32)) (: k (tensor 4 c f32)) (: v (tensor 4 c f32)) (: position (tensor i32))
                   (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))] -> (tensor 4 h d f32)
  (update keys (heads k) [0 position 0])
  (update values (heads v) [0 position 0])
  (seen-by (heads q) keys values position))

; The number of tokens is known by the name that it has in the arguments alone.
; NAMED-LABEL: func.func @"of-arguments"(
; NAMED-NOT: launch_func
; NAMED: call @__template_nn.attention
; NAMED-NOT: launch_func
; NAMED: return
(defn of-arguments [(: q (tensor t 2 8 f32)) (: k (tensor t 2 8 f32)) (: v (tensor t 2 8 f32)) (: position (tensor i32))
                    (: keys (inout (tensor 2 s 8 f32))) (: values (inout (tensor 2 s 8 f32)))] -> (tensor t 2 8 f32)
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose v [1 0 2]) [0 position 0])
  (seen-by (transpose q [1 0 2]) keys values position))

; Of some heads alone, or of some numbers of a head, it does not.
; CHECK-LABEL: func.func @"some-heads"(
; CHECK-NOT: cache
; CHECK: return
(defn some-heads [(: q (tensor 2 8 4 f32)) (: k (tensor 2 4 4 f32)) (: position (tensor i32))
                  (: keys (inout (tensor 8 s 4 f32))) (: values (inout (tensor 8 s 4 f32)))]
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose k [1 0 2]) [0 position 0])
  (seen-by (transpose q [1 0 2]) keys values position))
; CHECK-LABEL: func.func @"some-numbers"(
; CHECK-NOT: cache
; CHECK: return
(defn some-numbers [(: q (tensor 2 8 4 f32)) (: k (tensor 2 8 2 f32)) (: position (tensor i32))
                    (: keys (inout (tensor 8 s 4 f32))) (: values (inout (tensor 8 s 4 f32)))]
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose k [1 0 2]) [0 position 0])
  (seen-by (transpose q [1 0 2]) keys values position))

; Nor of heads of which only the run knows that they are not all.
; CHECK-LABEL: func.func @"unknown-heads"(
; CHECK-NOT: cache
; CHECK: return
(defn unknown-heads [(: q (tensor t h d f32)) (: k (tensor t g d f32)) (: v (tensor t g d f32)) (: position (tensor i32))
                     (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))]
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose v [1 0 2]) [0 position 0])
  (seen-by (transpose q [1 0 2]) keys values position))

; Of keys that are read in between, and of a mask with another position, it does not.
; CHECK-LABEL: func.func @read_between(
; CHECK-NOT: cache
; CHECK: return
(defn read_between [(: q (tensor t c f32)) (: k (tensor t c f32)) (: v (tensor t c f32)) (: position (tensor i32))
                    (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))]
  (update keys (heads k) [0 position 0])
  (def all (sum keys))
  (update values (heads v) [0 position 0])
  [all (seen-by (heads q) keys values position)])
; CHECK-LABEL: func.func @elsewhere(
; CHECK-NOT: cache
; CHECK: return
(defn elsewhere [(: q (tensor t c f32)) (: k (tensor t c f32)) (: v (tensor t c f32)) (: position (tensor i32)) (: other (tensor i32))
                 (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))]
  (update keys (heads k) [0 position 0])
  (update values (heads v) [0 position 0])
  (seen-by (heads q) keys values other))

; The position may be written after it, such as for the next token, but not in between.
; CHECK-LABEL: func.func @advancing(
; CHECK: nn.attention {{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} into
; CHECK-NOT: kind(copy)
; CHECK: return
(defn advancing [(: q (tensor t c f32)) (: k (tensor t c f32)) (: v (tensor t c f32)) (: position (inout (tensor 1 i32)))
                 (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))] -> (tensor t h d f32)
  (def y (cached q k v (reshape position []) keys values))
  (update position (+ position 1) [0])
  y)
; CHECK-LABEL: func.func @moved(
; CHECK-NOT: cache
; CHECK: return
(defn moved [(: q (tensor t c f32)) (: position (inout (tensor 1 i32)))
             (: keys (inout (tensor h s d f32))) (: values (inout (tensor h s d f32)))] -> (tensor t h d f32)
  (update keys (heads q) [0 position 0])
  (update values (heads q) [0 position 0])
  (update position (+ position 1) [0])
  (seen-by (heads q) keys values (reshape position [])))

(defn numbers [(: t index) (: seed f32)] -> (tensor _ 8 f32)
  (sin (* seed (+ (* 8.0 (iota f32 [t 8] :axis 0)) (iota f32 [t 8] :axis 1)))))
; All tokens at once, and one after the other, give the same.
; VALUE: {{^1 1$}}
(defn main []
  (def keys (zeros f32 [2 6 4]))
  (def values (zeros f32 [2 6 4]))
  (def q (numbers 5 1.1))
  (def k (numbers 5 0.7))
  (def v (numbers 5 0.3))
  (def all (cached q k v (cast i32 (zeros i32 [])) keys values))
  (def total (sum (abs all)))
  (def keys2 (zeros f32 [2 6 4]))
  (def values2 (zeros f32 [2 6 4]))
  (def first (four-tokens (slice q [0 0] [4 8]) (slice k [0 0] [4 8]) (slice v [0 0] [4 8]) (zeros i32 []) keys2
                          values2))
  (def last (one-token (slice q [4 0] [1 8]) (slice k [4 0] [1 8]) (slice v [4 0] [1 8]) (full i32 [] 4) keys2
                       values2))
  (def parts (concat first last :axis 0))
  ; The same sums of 4 products, in another order.
  (println "%d %d" (cast i32 (< (at (max (abs (- all parts)))) 1e-5)) (cast i32 (= (at (max (abs (- keys keys2)))) 0.0))))
