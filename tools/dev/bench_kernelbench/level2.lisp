;;; level2.lisp - twenty of the 100 problems of KernelBench's level 2 (Ouyang et al. 2025) as formulas, in the form of
;;; level1.lisp: those whose numbers Python's random.Random(31).sample(range(1, 101), 20) gives.
(require-dialect memref gpu)
(require ["./operands.lisp" :as operands] ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])
(require-macros "./problems.lisp")

(defn over-channels "[c 1 1 ...]: b for each place of [b c ...]." [b & {:axes 2}]
  (if (= axes 2) (reshape b [_ 1 1]) (reshape b [_ 1 1 1])))

(defn hard-swish [x] (* x (/ (clip (+ x 3.0) 0.0 6.0) 6.0)))
(defn mish [x] (* x (tanh (softplus x))))

;; Of each of :groups parts of the channels: the mean is 0, the variance 1. x: [b c ...].
(defn normalized [x & {:groups 1}]
  (let [y (reshape x [(dim x 0) groups _])
        d (- y (mean y :axis 2 :keep true))]
    (* d (rsqrt (+ (mean (* d d) :axis 2 :keep true) 1e-5)))))
(defn group-norm-rows [x g o & {:groups 1}]
  (+ (* (reshape (normalized x :groups groups) [(dim x 0) (dim x 1)]) g) o))
(defn group-norm2d [x g o & {:groups 1}]
  (+ (* (reshape (normalized x :groups groups) [(dim x 0) (dim x 1) (dim x 2) (dim x 3)]) (over-channels g))
     (over-channels o)))
(defn group-norm3d [x g o & {:groups 1}]
  (+ (* (reshape (normalized x :groups groups) [(dim x 0) (dim x 1) (dim x 2) (dim x 3) (dim x 4)])
        (over-channels g :axes 3))
     (over-channels o :axes 3)))

(problems
  (problem 2 "transposed convolution 2-D, bias, clamps" [[b 128 2 2] [c 64 16 4] [n 128 64 5]]
     [x (uniform b c n n) f (weights c c 3 3) s (weights c) t (centered c)]
     (let [y (conv-transpose2d x f :stride 2 :padding 1 :output-padding 1)]
       (/ (clip (* (clip (+ y (over-channels (+ s t))) 0.0 1.0) 2.0) 0.0 1.0) 2.0)))
  (problem 5 "transposed convolution 2-D, difference, tanh" [[b 32 1 2] [c 64 16 4] [n 256 64 5]]
     [x (uniform b c n n) f (weights c c 4 4) s (weights c) t (centered c)]
     (tanh (+ (conv-transpose2d x f :stride 2 :padding 1 :output-padding 1) (over-channels (- s t)))))
  (problem 6 "convolution 3-D, softmax of channels, two max-poolings"
     [[b 128 4 2] [o 16 16 5] [d 16 16 10] [n 32 32 10]]
     [x (uniform b 3 d n n) f (weights o 3 3 3 3) s (weights o)]
     (max-pool3d (max-pool3d (softmax (+ (conv3d x f) (over-channels s :axes 3)) :axis 1))))
  (problem 8 "convolution 3-D, max-pooling, means, sum of channels"
     [[b 128 2 2] [c 8 8 3] [o 16 16 4] [d 16 16 6] [n 64 32 8]]
     [x (uniform b c d n n) f (weights o c 3 3 3) s (weights o) t (centered o)]
     (let [y (max-pool3d (/ (+ (conv3d x f) (over-channels s :axes 3)) 2.0))]
       (sum (+ (mean y :axes [2 3 4]) t) :axis 1)))
  (problem 15 "transposed convolution 3-D, batch norm, without means"
     [[b 16 2 2] [c 16 8 3] [o 32 16 4] [d 16 8 3] [n 32 16 4]]
     [x (uniform b c d n n) f (weights c o 3 3 3) s (weights o) g (uniform o) t (weights o)]
     (let [y (+ (conv-transpose3d x f :stride 2 :padding 1) (over-channels s :axes 3))
           a (- y (mean y :axes [0 2 3 4] :keep true))
           r (rsqrt (+ (mean (* a a) :axes [0 2 3 4] :keep true) 1e-5))
           z (+ (* a r (over-channels g :axes 3)) (over-channels t :axes 3))]
       (- z (mean z :axes [2 3 4] :keep true))))
  (problem 18 "linear layer, sums of rows, and what they leave of five more"
     [[m 1024 256 9] [k 8192 1024 31] [n 8192 1024 17]]
     [x (uniform m k) w (weights n k) s (weights n)]
     (let [y (max (sum (linear x w s) :axis 1 :keep true) :axis 1 :keep true)]
       (logsumexp (logsumexp (mean y :axis 1 :keep true) :axis 1 :keep true) :axis 1 :keep true)))
  (problem 19 "transposed convolution 2-D, GELU, group norm" [[b 128 1 2] [c 64 16 8] [n 256 64 5]]
     [x (uniform b c n n) f (weights c c 3 3) s (weights c) g (uniform c) o (weights c)]
     (group-norm2d (gelu-erf (+ (conv-transpose2d x f) (over-channels s))) g o :groups 8))
  (problem 30 "linear layer, group norm, hard tanh" [[m 1024 256 9] [k 8192 1024 31] [n 8192 1024 32]]
     [x (uniform m k) w (weights n k) s (weights n) g (uniform n) o (weights n)]
     (clip (group-norm-rows (linear x w s) g o :groups 16) -2.0 2.0))
  (problem 51 "linear layer, difference, means, GELU, residual" [[m 2048 256 9] [k 8192 1024 23] [n 8192 1024 23]]
     [x (uniform m k) w (weights n k) s (weights n) t (centered n)]
     (let [y (mean (- (linear x w s) t) :axis 1 :keep true)]
       (+ (gelu-erf (logsumexp y :axis 1 :keep true)) x)))
  (problem 58 "transposed convolution 3-D, logsumexp of channels, swish, clamp"
     [[b 128 4 2] [o 16 16 5] [d 16 8 3] [n 32 16 4]]
     [x (uniform b 3 d n n) f (weights 3 o 3 3 3) s (weights o) t (centered 1)]
     (let [y (logsumexp (+ (conv-transpose3d x f :stride 2 :padding 1) (over-channels s :axes 3)) :axis 1 :keep true)]
       (clip (- (/ (* y (sigmoid (+ y 3.0))) 6.0) t) -1.0 1.0)))
  (problem 61 "transposed convolution 3-D, ReLU, group norm" [[b 16 1 2] [c 64 16 3] [o 128 32 8] [n 32 16 4]]
     [x (uniform b c n n n) f (weights c o 3 3 3) g (uniform o) t (weights o)]
     (group-norm3d (relu (conv-transpose3d x f)) g t :groups 8))
  (problem 68 "linear layer, minimum, difference" [[m 128 128 9] [k 16384 2048 31] [n 16384 2048 17]]
     [x (uniform m k) w (weights n k) s (weights n)]
     (- (min (linear x w s) 2.0) 2.0))
  (problem 69 "convolution 2-D, hard swish, ReLU" [[b 128 4 2] [c 8 8 3] [o 64 64 5] [n 128 128 9]]
     [x (uniform b c n n) f (weights o c 3 3) s (weights o)]
     (relu (hard-swish (+ (conv2d x f) (over-channels s)))))
  (problem 85 "convolution 2-D, group norm, scale, max-pooling, clamp"
     [[b 128 4 2] [c 8 8 3] [o 64 64 16] [n 128 128 12]]
     [x (uniform b c n n) f (weights o c 3 3) s (weights o) g (uniform o) t (weights o) w (uniform o)]
     (let [y (group-norm2d (+ (conv2d x f) (over-channels s)) g t :groups 16)]
       (clip (max-pool2d (* y (over-channels w)) :size 4) 0.0 1.0)))
  (problem 88 "linear layer, group norm, swish, product, swish" [[m 1024 256 5] [k 8192 1024 31] [n 8192 1024 512]]
     [x (uniform m k) w (weights n k) s (weights n) g (uniform n) o (weights n) t (centered n)]
     (silu (* (silu (group-norm-rows (linear x w s) g o :groups 256)) t)))
  (problem 92 "convolution 2-D, group norm, tanh, hard swish, residual, logsumexp of channels"
     [[b 128 4 2] [c 8 8 3] [o 64 64 16] [n 128 128 9]]
     [x (uniform b c n n) f (weights o c 3 3) s (weights o) g (uniform o) t (weights o)]
     (let [y (+ (conv2d x f) (over-channels s))]
       (logsumexp (+ y (hard-swish (tanh (group-norm2d y g t :groups 16)))) :axis 1 :keep true)))
  (problem 94 "linear layer, bias, hard tanh, Mish, group norm" [[m 1024 256 5] [k 8192 1024 31] [n 8192 1024 512]]
     [x (uniform m k) w (weights n k) s (weights n) t (centered n) g (uniform n) o (weights n)]
     (group-norm-rows (mish (clip (+ (linear x w s) t) -1.0 1.0)) g o :groups 256))
  (problem 95 "linear layer, sum, swish, tanh, GELU, hard tanh" [[m 1024 256 9] [k 8192 1024 31] [n 8192 1024 17]]
     [x (uniform m k) w (weights n k) s (weights n) t (centered n)]
     (clip (gelu-erf (tanh (silu (+ (linear x w s) t)))) -1.0 1.0))
  (problem 97 "linear layer, batch norm, bias, swish" [[m 1024 256 9] [k 8192 1024 31] [n 8192 1024 17]]
     [x (uniform m k) w (weights n k) s (weights n) g (uniform n) o (weights n) t (centered 1)]
     (let [y (linear x w s)
           d (- y (mean y :axis 0 :keep true))]
       (silu (+ (* d (rsqrt (+ (mean (* d d) :axis 0 :keep true) 1e-5)) g) o t))))
  (problem 98 "linear layer, average pooling, GELU, scale, maximum" [[m 1024 256 9] [k 8192 1024 31] [n 8192 1024 48]]
     [x (uniform m k) w (weights n k) s (weights n)]
     (max (* (gelu-erf (avg-pool1d (linear x w s) :size 16)) 2.0) :axis 1)))
