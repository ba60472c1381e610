; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s

; nn.norm_linear of one token against the same written out as loops, through memory whose elements may be apart, which
; no template takes, with layer norm and RMS norm: rows that the lanes of a warp or of several hold in registers, rows
; that do not end with a vector, and rows that only a block's memory holds. Sums of K terms below 4 in another order
; differ by less than K 2^-22; a BF16 input is rounded the same way in both, or to its neighbour, 2^-8 away. Several
; tokens may go through AMX, whose two BF16 terms leave 2^-16 of an input below 3.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

(defmacro define-check [name A B rounding centred]
  `(defn ~name [(: T index) (: K index) (: N index)]
     (def x (new-rows ~A T K 1))
     (def g (new-row bf16 K 2))
     (def h (new-row bf16 K 3))
     (def w (new-rows bf16 N K 4))
     (def bias (new-row bf16 N 5))
     (def normed (new-rows ~B T K 6))
     (def a (new-rows f32 T N 7))
     (def b (new-rows f32 T N 8))
     (def apart (cast ~(str "memref<?x?x" A ", strided<[?, ?], offset: ?>>") x))
     (def b-apart (cast "memref<?x?xf32, strided<[?, ?], offset: ?>>" b))
     (nn.norm_linear {:activation "gelu_tanh" :constant_weights true} x g ~(if centred `h []) (: 1e-5 f32) normed w
       [bias] [] a)
     ~@(if centred
         [`(nn.layer_norm apart g h normed (: 1e-5 f32))
          `(nn.linear {:activation "gelu_tanh"} normed w [bias] [] b-apart)]
         [`(nn.norm_linear {:activation "gelu_tanh"} apart g [] (: 1e-5 f32) normed w [bias] [] b-apart)])
     (def most
       (fold [most (: 0.0 f32)] [i 0 T]
         (fold [m most] [j 0 N] (max m (math.absf (- (memref.load a i j) (memref.load b i j)))))))
     (def tolerance (* (cast f32 K) (: ~rounding f32)))
     (if (<= most tolerance) (println "ok") (println "%ld %ld differs by %g" (cast i64 K) (cast i64 N) (cast f64 most)))))
(define-check f32-check f32 f32 2.4e-7 true)
(define-check several-check f32 f32 4.6e-5 true)
(define-check bf16-check f32 bf16 4.0e-3 true)
(define-check rms-check f32 f32 2.4e-7 false)
(define-check several-rms-check f32 f32 4.6e-5 false)
(define-check bf16-rms-check f32 bf16 4.0e-3 false)
(define-check bf16-rows-check bf16 bf16 4.0e-3 true)
(define-check bf16-rows-rms-check bf16 bf16 4.0e-3 false)

; CHECK-COUNT-24: ok
; CHECK-NOT: differs
(defn main []
  (f32-check 1 64 19)
  (f32-check 1 256 40)
  (f32-check 1 77 9)
  (f32-check 1 768 31)
  (f32-check 1 1024 5)
  (f32-check 1 1100 5)
  (f32-check 1 1280 9)
  (f32-check 1 1600 9)
  (f32-check 1 2048 9)
  (f32-check 1 5008 5)
  (several-check 3 48 8)
  (bf16-check 1 768 5)
  (bf16-check 1 77 9)
  (bf16-rows-check 1 768 5)
  (bf16-rows-check 1 77 9)
  (bf16-rows-rms-check 1 1024 5)
  (bf16-rows-rms-check 1 77 9)
  (rms-check 1 576 37)
  (rms-check 1 77 9)
  (rms-check 1 2048 9)
  (rms-check 1 5008 5)
  (several-rms-check 3 48 8)
  (bf16-rms-check 1 768 5)
  (bf16-rms-check 1 77 9))
