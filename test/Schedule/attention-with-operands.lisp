; Attention goes by rings whose scores have a bias of places, a slope of each head, or a bias of heads and places in 16
; bits: in heads of 80, which fill a part of their slots, and of 256, and beside a function of the scores, in steps of 64
; positions; a bias alone in heads of 128 in steps of 128.
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck --check-prefix=TILES %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
(require-dialect memref)

(defn scores [q k] (* 0.1 (einsum "htd,hsd->hts" q k :out f32)))
(defn attended [s v] (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax s)) v :out f32)))
(defn causal [s] (where (<= (iota i32 [128]) (iota i32 [128 1] :axis 0)) s -inf))

; TILES-LABEL: gpu.func @biased_0({{.*}}ring = true
; TILES: scf.for {{.*}} step %c64
; RINGS: gpu.func @biased_0(
; RINGS: tile.fill %
(defn biased [(: q (tensor 132 128 80 bf16)) (: k (tensor 132 128 80 bf16)) (: v (tensor 132 128 80 bf16))
              (: b (tensor 128 128 f32)) (: slope (tensor 132 1 1 f32))] -> (tensor 132 128 80 bf16)
  (def far (cast f32 (- (iota i32 [128]) (iota i32 [128 1] :axis 0))))
  (attended (causal (+ (scores q k) b (* slope far))) v))

; TILES-LABEL: gpu.func @large_0({{.*}}ring = true
; TILES: scf.for {{.*}} step %c64 {{.*}}vector<128x256xf32>
; RINGS: gpu.func @large_0(
; RINGS: tile.fill %
(defn large [(: q (tensor 132 128 256 bf16)) (: k (tensor 132 128 256 bf16)) (: v (tensor 132 128 256 bf16))
             (: b (tensor 132 128 128 bf16))] -> (tensor 132 128 256 bf16)
  (attended (+ (cast f32 b) (scores q k)) v))

; TILES-LABEL: gpu.func @capped_0({{.*}}ring = true
; TILES: scf.for {{.*}} step %c64 {{.*}}vector<128x128xf32>
(defn capped [(: q (tensor 132 128 128 bf16)) (: k (tensor 132 128 128 bf16)) (: v (tensor 132 128 128 bf16))
              (: b (tensor 128 128 f32))] -> (tensor 132 128 128 bf16)
  (attended (+ b (* 30.0 (tanh (/ (scores q k) 30.0)))) v))

; TILES-LABEL: gpu.func @alone_0({{.*}}ring = true
; TILES: scf.for {{.*}} step %c128 {{.*}}vector<128x128xf32>
(defn alone [(: q (tensor 66 256 128 bf16)) (: k (tensor 66 256 128 bf16)) (: v (tensor 66 256 128 bf16))
             (: b (tensor 256 256 f32))] -> (tensor 66 256 128 bf16)
  (attended (+ b (scores q k)) v))

(defn number [(: n index)] -> f32 (/ (- (cast f32 (% n 23)) 11.0) 11.0))

; The largest error of 64 elements of heads whose numbers are those of `number`, where `change` is what is added to a
; score; the last operand says whether later positions are seen.
(defmacro error-of [size q k v y seen h t s change]
  `(let [errors# (device-alloc memref<64xf32> [])]
     (parallel [e# 64]
       (def ~h (% (+ 3 (* e# 29)) 132))
       (def ~t (% (+ 5 (* e# 97)) 128))
       (def j# (% (* 11 e#) ~size))
       (def [z# total#] (fold [z# (: 0.0 f32) total# (: 0.0 f32)] [~s 0 ~seen]
         (def score# (fold [a# (: 0.0 f32)] [x# 0 ~size]
           (+ a# (* (cast f32 (memref.load ~q ~h ~t x#)) (cast f32 (memref.load ~k ~h ~s x#))))))
         (def p# (exp (+ (* 0.1 score#) ~change)))
         [(+ z# p#) (+ total# (* p# (cast f32 (memref.load ~v ~h ~s j#))))]))
       (memref.store (abs (- (/ total# z#) (cast f32 (memref.load ~y ~h ~t j#)))) errors# e#))
     (let [host# (memref.alloc {:result memref<64xf32>})]
       (download! host# errors#)
       (fold [worst# (: 0.0 f32)] [e# 0 64] (max worst# (memref.load host# e#))))))

(defmacro with-heads [size & body]
  (let [type (symbol (str "memref<132x128x" size "xbf16>"))]
    `(let [q (device-alloc ~type []) k (device-alloc ~type []) v (device-alloc ~type []) y (device-alloc ~type [])]
       (parallel [h 132 t 128 x ~size]
         (memref.store (cast bf16 (number (+ (* 3 h) (* 7 t) (* 5 x)))) q h t x)
         (memref.store (cast bf16 (number (+ (* 5 h) (* 11 t) (* 3 x) (* t x)))) k h t x)
         (memref.store (cast bf16 (number (+ (* 7 h) (* 3 t) (* 13 x)))) v h t x))
       ~@body)))

(defn report [(: name !llvm.ptr) (: error f32)]
  (println "%s: %s, largest error %.1e" name (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))

; CHECK: biased: ok
; CHECK: large: ok
(defn main []
  (def b (device-alloc memref<128x128xf32> []))
  (def slope (device-alloc memref<132x1x1xf32> []))
  (def c (device-alloc memref<132x128x128xbf16> []))
  (parallel [h 132 t 128 s 128]
    (memref.store (cast bf16 (number (+ (* 2 h) (* 5 t) (* 7 s)))) c h t s)
    (memref.store (number (+ (* 3 t) (* 5 s))) b t s)
    (memref.store (/ (number h) 16.0) slope h 0 0))
  (with-heads 80
    (store (biased (load q) (load k) (load v) (load b) (load slope)) y)
    (report (cstring "biased")
            (error-of 80 q k v y (+ t 1) h t s
              (+ (memref.load b t s) (* (memref.load slope h 0 0) (cast f32 (- (cast i32 s) (cast i32 t))))))))
  (with-heads 256
    (store (large (load q) (load k) (load v) (load c)) y)
    (report (cstring "large") (error-of 256 q k v y 128 h t s (cast f32 (memref.load c h t s))))))
