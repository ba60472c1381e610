; The Fourier transform of 2^s numbers in s passes (Stockham), beside the sum that defines it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn defined [(: re (tensor n f32)) (: im (tensor n f32))]
  (def k (cast f32 (% (* (iota i32 [n 1] :axis 0) (iota i32 [n])) (cast i32 n))))
  (def a (* k (/ -6.283185307 (cast f32 n))))
  [(- (einsum "kj,j->k" (cos a) re) (einsum "kj,j->k" (sin a) im))
   (+ (einsum "kj,j->k" (sin a) re) (einsum "kj,j->k" (cos a) im))])

; One pass: [2 m l] -> [m 2 l]. The lengths l of the parts that are transformed double.
(defn pass [(: re (tensor n f32)) (: im (tensor n f32)) (: l index)]
  (def m (/ n (* 2 l)))
  (def [ar br] (split (reshape re [2 m l]) 2 :axis 0))
  (def [ai bi] (split (reshape im [2 m l]) 2 :axis 0))
  (def t (* (iota f32 [l]) (/ -3.14159265 (cast f32 l))))
  (def [wr wi] [(cos t) (sin t)])
  (def [cr ci] [(- (* br wr) (* bi wi)) (+ (* br wi) (* bi wr))])
  [(reshape (transpose (concat (+ ar cr) (- ar cr) :axis 0) [1 0 2]) [n])
   (reshape (transpose (concat (+ ai ci) (- ai ci) :axis 0) [1 0 2]) [n])])
(defn fft [(: re (tensor n f32)) (: im (tensor n f32)) (: s index)]
  (def [r i _] (fold [r re i im l (: 1 index)] [each 0 s]
    (def [a b] (pass r i l))
    [a b (* l 2)]))
  [r i])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def re (sin (* 0.3 (iota f32 [256]))))
  (def im (cos (* 0.07 (iota f32 [256]))))
  (def [a b] (defined re im))
  (def [c d] (fft re im 8))
  (check/report (cstring "real") (check/difference a c) 2e-3)           ; CHECK: real: ok
  (check/report (cstring "imaginary") (check/difference b d) 2e-3)      ; CHECK: imaginary: ok
  ; A pulse has all frequencies alike.
  (def [e f] (fft (update (zeros f32 [256]) (full f32 [1] 1.0) [0]) (zeros f32 [256]) 8))
  (println "%g %g" (sum e) (sum (abs f)))                               ; CHECK: {{^}}256 0{{$}}
  (def large (to-memref (sin (iota f32 [65536]))))
  (timed argc memref<?xf32> [(: 65536 index)] (let [[r i] (fft (load large) (zeros f32 [65536]) 16)] (+ r i))))
