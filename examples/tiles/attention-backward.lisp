; Attention backward: the tile programs of attention-gradients.lisp, launched, beside loops that follow the definition.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check] ["./heads.lisp" :as heads]
         ["./attention-gradients.lisp" :as gradients])

(defn backward [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
                (: lse memref<?x?xf32>) (: delta memref<?x?xf32>)
                (: dq memref<?x?x?xf32>) (: dk memref<?x?x?xf32>) (: dv memref<?x?x?xf32>)]
  (def blocks (/ (+ (memref.dim q 1) 15) 16))
  (def heads (memref.dim q 0))
  (def scale (heads/score-scale q))
  (launch gradients/attention-dq {:grid [blocks heads] :const {:bm 16 :bn 16 :d 32}} q k v do lse delta dq scale)
  (launch gradients/attention-dk-dv {:grid [blocks heads] :const {:bm 16 :bn 16 :d 32}} q k v do lse delta dk dv scale))

; From the definition, a head at a time. dp = do v^T; delta is the sum of p dp over a row.
(defn reference [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
                 (: h index) (: p memref<?x?xf32>) (: ds memref<?x?xf32>) (: delta memref<?x?xf32>)
                 (: dq memref<?x?xf32>) (: dk memref<?x?xf32>) (: dv memref<?x?xf32>)]
  (def time (memref.dim q 1))
  (def d (memref.dim q 2))
  (for [i 0 time] (for [j 0 time]
    (memref.store (fold [s (: 0.0 f32)] [x 0 d]
                    (+ s (* (cast f32 (memref.load do h i x)) (cast f32 (memref.load v h j x)))))
                  ds i j)))
  (for [i 0 time]
    (memref.store (fold [s (: 0.0 f32)] [j 0 time] (+ s (* (memref.load p i j) (memref.load ds i j)))) delta h i)
    (for [j 0 time]
      (memref.store (* (memref.load p i j) (- (memref.load ds i j) (memref.load delta h i))) ds i j)))
  (def scale (heads/score-scale q))
  (for [i 0 time] (for [x 0 d]
    (def [a b c] (fold [a (: 0.0 f32) b (: 0.0 f32) c (: 0.0 f32)] [j 0 time]
      [(+ a (* (memref.load ds i j) (cast f32 (memref.load k h j x))))
       (+ b (* (memref.load ds j i) (cast f32 (memref.load q h j x))))
       (+ c (* (memref.load p j i) (cast f32 (memref.load do h j x))))]))
    (memref.store (* scale a) dq i x)
    (memref.store (* scale b) dk i x)
    (memref.store c dv i x))))

; lse of each row of scores, as the forward pass saves it: s - log(p) of any column that the row sees, such as the
; first.
(defn save-logs [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: h index) (: p memref<?x?xf32>)
                 (: lse memref<?x?xf32>)]
  (for [i 0 (memref.dim q 1)]
    (def s (fold [s (: 0.0 f32)] [x 0 (memref.dim q 2)]
      (+ s (* (cast f32 (memref.load q h i x)) (cast f32 (memref.load k h 0 x))))))
    (memref.store (- (* s (heads/score-scale q)) (log (memref.load p i 0))) lse h i)))

(defn head-difference [(: got memref<?x?x?xf32>) (: h index) (: expected memref<?x?xf32>)] -> f32
  (fold [worst (: 0.0 f32)] [i 0 (memref.dim expected 0)]
    (fold [worst worst] [x 0 (memref.dim expected 1)]
      (max worst (abs (- (memref.load got h i x) (memref.load expected i x)))))))

; CHECK: dq: ok
; CHECK: dk: ok
; CHECK: dv: ok
(defn main []
  (def time (: 40 index))
  (def d (: 32 index))
  (def q (heads/random-heads 1 2 time d))
  (def k (heads/random-heads 2 2 time d))
  (def v (heads/random-heads 3 2 time d))
  (def do (heads/random-heads 4 2 time d))
  (def lse (check/matrix 2 time))
  (def delta (check/matrix 2 time))
  (def p (check/matrix time time))
  (def ds (check/matrix time time))
  (def [dq dk dv] [(check/matrix time d) (check/matrix time d) (check/matrix time d)])
  (def dq3 (memref.alloc {:result memref<?x?x?xf32>} (: 2 index) time d))
  (def dk3 (memref.alloc {:result memref<?x?x?xf32>} (: 2 index) time d))
  (def dv3 (memref.alloc {:result memref<?x?x?xf32>} (: 2 index) time d))
  (for [h 0 2]
    (heads/probabilities q k p h h 1 1000)
    (save-logs q k h p lse)
    (reference q k v do h p ds delta dq dk dv))
  (backward q k v do lse delta dq3 dk3 dv3)
  (def [a b c] (fold [a (: 0.0 f32) b (: 0.0 f32) c (: 0.0 f32)] [h 0 2]
    (heads/probabilities q k p h h 1 1000)
    (reference q k v do h p ds delta dq dk dv)
    [(max a (head-difference dq3 h dq)) (max b (head-difference dk3 h dk)) (max c (head-difference dv3 h dv))]))
  ; p and ds are rounded to 16 bits, by at most 2^-8 of each: |ds| < 3, and 40 of them are added.
  (check/report (cstring "dq") a 2e-2)
  (check/report (cstring "dk") b 2e-2)
  (check/report (cstring "dv") c 2e-2))
