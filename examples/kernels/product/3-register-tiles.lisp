; Product, step 3: tiles of 4x4 in registers.
;
; 256 threads compute 64x64 elements of c, 4x4 each: of a step in k, a thread needs four numbers of a and four of b for
; sixteen multiplications, half a load each instead of two, and the four of b are one load of 16 bytes. A row of 4 sums
; is a vector, so that the program is short; the compiler makes numbers of it.
;
; Larger tiles, copies that run ahead, and no bank conflicts would bring this to what cuBLAS has in F32. But the units
; that multiply single numbers have 1/15 of the tensor cores' speed. N has to be a multiple of 4.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder])
(require-macros "./product.lisp" "../ladder.lisp")

(defmacro four-of [m i j] `(vector.load {:result vector<4xf32>} ~m ~i ~j))
(defmacro all-four [v] `(vector.broadcast {:result vector<4xf32>} ~v))

(defkernel multiply [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def of-a (shared f32 [16 64])) ; Transposed: a thread's four numbers are neighbours.
  (def of-b (shared f32 [16 64]))
  (def t (thread-id :x))
  (def row (* 4 (/ t 16)))
  (def column (* 4 (% t 16)))
  (def i (* 64 (block-id :y)))
  (def j (* 64 (block-id :x)))
  (def depth (memref.dim a 1))
  (def none (all-four (: 0.0 f32)))
  (def [s0 s1 s2 s3] (fold [s0 none s1 none s2 none s3 none] [k 0 depth 16]
    (for [n t 1024 256]
      (def [ia ka] [(+ i (/ n 16)) (+ k (% n 16))])
      (def [kb jb] [(+ k (/ n 64)) (+ j (% n 64))])
      (def inA (and (< ia (memref.dim c 0)) (< ka depth)))
      (def inB (and (< kb depth) (< jb (memref.dim c 1))))
      (memref.store (if inA (cast f32 (memref.load a ia ka)) (: 0.0 f32)) of-a (% n 16) (/ n 16))
      (memref.store (if inB (cast f32 (memref.load b kb jb)) (: 0.0 f32)) of-b (/ n 64) (% n 64)))
    (barrier)
    (def [n0 n1 n2 n3] (fold [n0 s0 n1 s1 n2 s2 n3 s3] [z 0 16]
      (def v (four-of of-b z column))
      [(+ n0 (* (all-four (memref.load of-a z row)) v))
       (+ n1 (* (all-four (memref.load of-a z (+ row 1))) v))
       (+ n2 (* (all-four (memref.load of-a z (+ row 2))) v))
       (+ n3 (* (all-four (memref.load of-a z (+ row 3))) v))]))
    (barrier)
    [n0 n1 n2 n3]))
  (def [y x] [(+ i row) (+ j column)])
  (when (< x (memref.dim c 1))
    (when (< y (memref.dim c 0)) (vector.store s0 c y x))
    (when (< (+ y 1) (memref.dim c 0)) (vector.store s1 c (+ y 1) x))
    (when (< (+ y 2) (memref.dim c 0)) (vector.store s2 c (+ y 2) x))
    (when (< (+ y 3) (memref.dim c 0)) (vector.store s3 c (+ y 3) x))))

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch multiply {:grid [(/ (+ (memref.dim c 1) 63) 64) (/ (+ (memref.dim c 0) 63) 64)] :block [256]} a b c))

; CHECK: ok
(define-product step)
