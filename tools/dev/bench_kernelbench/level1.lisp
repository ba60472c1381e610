;;; level1.lisp - the 100 problems of KernelBench's level 1 (Ouyang et al. 2025) as formulas.
;;;
;;; (problem NUMBER "name" [[size GPU CPU small] ...] [operand (kind size ...) ...] formula): the suite's sizes, smaller
;;; ones for a CPU, and those of `bench-kernelbench check`. Weights and biases are operands like any other.
(require-dialect memref gpu)
(require ["./operands.lisp" :as operands] ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])
(require-macros "./problems.lisp")

(problems
  ;; Products.
  (problem 1 "product of square matrices" [[n 4096 1024 37]]
     [a (uniform n n) b (uniform n n)]
     (matmul a b))
  (problem 2 "product of matrices" [[m 2048 512 19] [k 8192 2048 45] [n 4096 1024 33]]
     [a (uniform m k) b (uniform k n)]
     (matmul a b))
  (problem 3 "batch of products" [[b 128 16 3] [m 512 128 17] [k 1024 256 21] [n 2048 512 18]]
     [a (uniform b m k) c (uniform b k n)]
     (matmul a c))
  (problem 4 "matrix times vector" [[m 2048 256 19] [k 1048576 65536 301]]
     [a (uniform m k) x (uniform k 1)]
     (matmul a x))
  (problem 5 "matrix times number" [[m 65536 4096 19] [n 16384 2048 37]]
     [a (uniform m n)]
     (* a 3.14))
  (problem 6 "product with a large inner size" [[m 256 128 9] [k 524288 32768 1031] [n 256 128 11]]
     [a (uniform m k) b (uniform k n)]
     (matmul a b))
  (problem 7 "product with a small inner size" [[m 32768 2048 33] [k 64 64 7]]
     [a (uniform m k) b (uniform k m)]
     (matmul a b))
  (problem 8 "product of irregular sizes" [[m 8205 1025 21] [k 2949 737 29] [n 5921 740 15]]
     [a (uniform m k) b (uniform k n)]
     (matmul a b))
  (problem 9 "product of tall and skinny matrices" [[m 32768 4096 45] [n 32 32 5]]
     [a (uniform m n) b (uniform n m)]
     (matmul a b))
  (problem 10 "product of a tensor of three dimensions" [[b 16 4 3] [m 1024 256 13] [k 2048 512 22] [l 768 192 17]]
     [a (uniform b m k) c (uniform k l)]
     (matmul a c))
  (problem 11 "product of a tensor of four dimensions"
     [[b 8 2 2] [i 256 32 3] [j 512 64 7] [l 256 128 11] [k 768 384 13]]
     [a (uniform b i j l) c (uniform l k)]
     (matmul a c))
  (problem 12 "diagonal matrix times matrix" [[n 4096 2048 29] [m 4096 2048 23]]
     [d (uniform n) b (uniform n m)]
     (* (reshape d [_ 1]) b))
  (problem 13 "product of symmetric matrices" [[n 4096 1024 31]]
     [a (symmetric n n) b (symmetric n n)]
     (matmul a b))
  (problem 14 "product of upper triangular matrices" [[n 4096 1024 27]]
     [a (upper n n) b (upper n n)]
     (triu (matmul a b)))
  (problem 15 "product of lower triangular matrices" [[n 4096 1024 26]]
     [a (lower n n) b (lower n n)]
     (tril (matmul a b)))
  (problem 16 "product with the first factor transposed" [[m 2048 512 19] [k 8192 2048 45] [n 4096 1024 33]]
     [a (uniform k m) b (uniform k n)]
     (matmul (transpose a) b))
  (problem 17 "product with the second factor transposed" [[m 2048 512 18] [k 8192 2048 43] [n 4096 1024 31]]
     [a (uniform m k) b (uniform n k)]
     (matmul a (transpose b)))
  (problem 18 "product with both factors transposed" [[m 2048 512 17] [k 8192 2048 41] [n 4096 1024 29]]
     [a (uniform k m) b (uniform n k)]
     (matmul (transpose a) (transpose b)))

  ;; Elementwise functions, and two of rows.
  (problem 19 "ReLU" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (relu x))
  (problem 20 "leaky ReLU" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (where (> x 0) x (* 0.01 x)))
  (problem 21 "sigmoid" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (sigmoid x))
  (problem 22 "tanh" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (tanh x))
  (problem 23 "softmax" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (softmax x :axis 1))
  (problem 24 "log softmax" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (log-softmax x :axis 1))
  (problem 25 "swish" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (silu x))
  (problem 26 "GELU" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (gelu-erf x))
  (problem 27 "SELU" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)]
     (* 1.0507009873554805 (where (> x 0) x (* 1.6732632423543772 (expm1 x)))))
  (problem 28 "hard sigmoid" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (clip (+ (/ x 6.0) 0.5) 0.0 1.0))
  (problem 29 "softplus" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (softplus x))
  (problem 30 "softsign" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (/ x (+ 1.0 (abs x))))
  (problem 31 "ELU" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (where (> x 0) x (expm1 x)))
  (problem 32 "hard tanh" [[m 4096 256 13] [n 393216 65536 57]] [x (centered m n)] (clip x -1.0 1.0))

  ;; Norms.
  (problem 33 "batch norm" [[b 64 8 3] [c 64 16 5] [h 512 256 7] [w 512 256 9]]
     [x (uniform b c h w) g (uniform c) o (weights c)]
     (let [d (- x (mean x :axes [0 2 3] :keep true))
           r (rsqrt (+ (mean (* d d) :axes [0 2 3] :keep true) 1e-5))]
       (+ (* d r (reshape g [_ 1 1])) (reshape o [_ 1 1]))))
  (problem 34 "instance norm" [[b 112 8 3] [c 64 16 5] [h 512 256 7] [w 512 256 9]]
     [x (uniform b c h w)]
     (let [d (- x (mean x :axes [2 3] :keep true))]
       (* d (rsqrt (+ (mean (* d d) :axes [2 3] :keep true) 1e-5)))))
  (problem 35 "group norm, 8 groups" [[b 112 8 3] [c 64 16 16] [h 512 256 5] [w 512 256 7]]
     [x (uniform b c h w) g (uniform c) o (weights c)]
     (let [y (reshape x [b 8 _ h w])
           d (- y (mean y :axes [2 3 4] :keep true))
           r (rsqrt (+ (mean (* d d) :axes [2 3 4] :keep true) 1e-5))]
       (+ (* (reshape (* d r) [b c h w]) (reshape g [_ 1 1])) (reshape o [_ 1 1]))))
  (problem 36 "RMS norm over channels" [[b 112 8 3] [c 64 16 5] [h 512 256 7] [w 512 256 9]]
     [x (uniform b c h w)]
     (* x (rsqrt (+ (mean (* x x) :axis 1 :keep true) 1e-5))))
  (problem 37 "Frobenius norm" [[b 112 8 3] [c 64 16 5] [h 512 256 7] [w 512 256 9]]
     [x (uniform b c h w)]
     (/ x (sqrt (sum (* x x)))))
  (problem 38 "L1 norm" [[m 32768 256 9] [n 65535 65535 77]] [x (uniform m n)] (/ x (mean (abs x) :axis 1 :keep true)))
  (problem 39 "L2 norm" [[m 32768 256 9] [n 65535 65535 77]] [x (uniform m n)] (/ x (norm x :axis 1 :keep true)))
  (problem 40 "layer norm over three dimensions" [[b 16 4 3] [c 64 64 5] [h 256 128 7] [w 256 128 9]]
     [x (uniform b c h w) g (uniform c h w) o (weights c h w)]
     (let [d (- x (mean x :axes [1 2 3] :keep true))]
       (+ (* d (rsqrt (+ (mean (* d d) :axes [1 2 3] :keep true) 1e-5)) g) o)))

  ;; Pooling and reductions.
  (problem 41 "max-pooling 1-D" [[b 64 8 3] [c 192 32 5] [n 65536 16384 43]]
     [x (centered b c n)]
     (max-pool1d x :size 8 :stride 1 :padding 4 :dilation 3))
  (problem 42 "max-pooling 2-D" [[b 32 4 2] [c 64 16 3] [h 512 256 11] [w 512 256 13]]
     [x (centered b c h w)]
     (max-pool2d x :size 4 :stride 1 :padding 1))
  (problem 43 "max-pooling 3-D" [[b 16 2 2] [c 32 8 3] [d 128 64 13] [h 128 64 11] [w 128 64 15]]
     [x (centered b c d h w)]
     (max-pool3d x :size 3 :stride 2 :padding 1 :dilation 3))
  (problem 44 "average pooling 1-D" [[b 64 8 3] [c 128 32 5] [n 65536 16384 43]]
     [x (centered b c n)]
     (avg-pool1d x :size 8 :stride 1 :padding 4))
  (problem 45 "average pooling 2-D" [[b 16 2 2] [c 64 8 3] [h 2048 1024 47] [w 2048 1024 35]]
     [x (centered b c h w)]
     (avg-pool2d x :size 11))
  (problem 46 "average pooling 3-D" [[b 16 2 2] [c 32 8 3] [d 128 64 9] [h 128 64 7] [w 256 64 13]]
     [x (centered b c d h w)]
     (avg-pool3d x :size 3 :stride 2 :padding 1))
  (problem 47 "sum of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (sum x :axis 1 :keep true))
  (problem 48 "mean of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (mean x :axis 1))
  (problem 49 "maximum of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (max x :axis 1))
  (problem 51 "argmax of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (argmax x :axis 1))
  (problem 52 "argmin of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (argmin x :axis 1))
  (problem 53 "minimum of a dimension" [[b 128 4 3] [m 4096 2048 37] [n 4095 2047 29]]
     [x (uniform b m n)] (min x :axis 1))

  ;; Convolutions.
  (problem 50 "convolution 2-D, 11 x 11, stride 4, with a bias" [[b 256 4 2] [o 96 96 6] [n 224 224 27]]
     [x (uniform b 3 n n) f (weights o 3 11 11) s (weights o)]
     (+ (conv2d x f :stride 4 :padding 2) (reshape s [_ 1 1])))
  (problem 54 "convolution 3-D" [[b 16 2 2] [o 64 32 5] [n 64 32 7]]
     [x (uniform b 3 n n n) f (weights o 3 3 3 3)]
     (conv3d x f))
  (problem 55 "convolution 2-D of a wide image" [[b 8 1 2] [c 64 32 5] [o 128 64 7] [h 512 128 9] [w 1024 256 11]]
     [x (uniform b c h w) f (weights o c 3 3)]
     (conv2d x f))
  (problem 56 "convolution 2-D, 5 x 7" [[b 8 1 2] [c 64 16 5] [o 128 32 7] [h 512 128 9] [w 256 128 11]]
     [x (uniform b c h w) f (weights o c 5 7)]
     (conv2d x f))
  (problem 57 "transposed convolution 2-D" [[b 8 1 2] [c 64 16 5] [n 1024 256 9]]
     [x (uniform b c n n) f (weights c c 3 3)]
     (conv-transpose2d x f))
  (problem 58 "transposed convolution 3-D, 3 x 5 x 7"
     [[b 16 1 2] [c 32 16 4] [o 16 8 3] [d 16 8 4] [h 32 32 5] [w 64 32 6]]
     [x (uniform b c d h w) f (weights c o 3 5 7)]
     (conv-transpose3d x f))
  (problem 59 "convolution 3-D, 3 x 3 x 1" [[b 16 1 2] [o 64 32 5] [n 256 128 9] [d 10 10 4]]
     [x (uniform b 3 n n d) f (weights o 3 3 3 1)]
     (conv3d x f))
  (problem 60 "convolution 3-D, 3 x 5 x 7" [[b 16 1 2] [o 64 32 5] [n 64 32 9]]
     [x (uniform b 3 n n n) f (weights o 3 3 5 7)]
     (conv3d x f))
  (problem 61 "transposed convolution 3-D" [[b 8 1 2] [c 48 16 3] [n 64 32 5]]
     [x (uniform b c n n n) f (weights c c 3 3 3)]
     (conv-transpose3d x f))
  (problem 62 "convolution 2-D, 5 x 9" [[b 8 1 2] [c 32 16 3] [o 64 32 5] [n 512 128 13]]
     [x (uniform b c n n) f (weights o c 5 9)]
     (conv2d x f))
  (problem 63 "convolution 2-D" [[b 16 1 2] [c 16 16 3] [o 128 64 5] [n 1024 256 11]]
     [x (uniform b c n n) f (weights o c 3 3)]
     (conv2d x f))
  (problem 64 "transposed convolution 1-D" [[b 64 4 2] [c 128 64 5] [n 65536 8192 27]]
     [x (uniform b c n) f (weights c c 3)]
     (conv-transpose1d x f))
  (problem 65 "transposed convolution 2-D, 3 x 7" [[b 8 1 2] [c 64 16 5] [n 512 256 9]]
     [x (uniform b c n n) f (weights c c 3 7)]
     (conv-transpose2d x f))
  (problem 66 "convolution 3-D of a wide volume, 3 x 5 x 7" [[b 8 1 2] [o 64 32 5] [d 16 8 5] [n 128 64 9]]
     [x (uniform b 3 d n n) f (weights o 3 3 5 7)]
     (conv3d x f))
  (problem 67 "convolution 1-D" [[b 32 4 2] [c 64 32 5] [o 128 64 7] [n 131072 16384 29]]
     [x (uniform b c n) f (weights o c 3)]
     (conv1d x f))
  (problem 68 "transposed convolution 3-D, 3 x 5 x 5" [[b 16 1 2] [c 32 16 3] [o 64 16 4] [n 64 24 5]]
     [x (uniform b c n n n) f (weights c o 3 5 5)]
     (conv-transpose3d x f))
  (problem 69 "transposed convolution 2-D, 3 x 5" [[b 64 4 2] [c 64 16 3] [o 128 32 5] [h 128 64 7] [w 256 128 9]]
     [x (uniform b c h w) f (weights c o 3 5)]
     (conv-transpose2d x f))
  (problem 70 "transposed convolution 3-D to fewer channels" [[b 8 1 2] [c 48 16 4] [o 24 8 3] [n 96 32 5]]
     [x (uniform b c n n n) f (weights c o 3 3 3)]
     (conv-transpose3d x f))
  (problem 71 "transposed convolution 2-D of a wide image" [[b 8 1 2] [c 32 16 4] [h 512 128 7] [w 1024 256 11]]
     [x (uniform b c h w) f (weights c c 3 3)]
     (conv-transpose2d x f))
  (problem 72 "transposed convolution 3-D, 3 x 5 x 7, stride 2, padding, 4 groups"
     [[b 8 1 2] [c 32 16 8] [o 8 4 2] [d 12 6 3] [h 24 12 4] [w 48 24 5]]
     [x (uniform b c d h w) f (weights c o 3 5 7)]
     (conv-transpose3d x f :stride 2 :padding [1 2 3] :output-padding 1 :groups 4))
  (problem 73 "transposed convolution 3-D, stride 2, padding 1, 4 groups"
     [[b 4 1 2] [c 32 16 8] [o 8 4 2] [d 32 8 3] [h 64 16 4] [w 128 32 5]]
     [x (uniform b c d h w) f (weights c o 3 3 3)]
     (conv-transpose3d x f :stride 2 :padding 1 :groups 4))
  (problem 74 "transposed convolution 1-D, dilation 3" [[b 32 4 2] [c 32 16 3] [o 64 32 5] [n 131072 16384 23]]
     [x (uniform b c n) f (weights c o 5)]
     (conv-transpose1d x f :dilation 3))
  (problem 75 "transposed convolution 2-D, 3 x 5, stride 2 3, padding, dilation, 4 groups"
     [[b 16 2 2] [c 32 16 8] [o 16 8 2] [h 128 64 5] [w 256 128 7]]
     [x (uniform b c h w) f (weights c o 3 5)]
     (conv-transpose2d x f :stride [2 3] :padding [1 2] :dilation [2 1] :groups 4))
  (problem 76 "convolution 1-D, stride 3, dilation 4" [[b 64 4 2] [c 64 32 3] [o 128 64 5] [n 524280 32760 61]]
     [x (uniform b c n) f (weights o c 3)]
     (conv1d x f :stride 3 :dilation 4))
  (problem 77 "transposed convolution 3-D, stride 2, padding 1, dilation 2"
     [[b 16 1 2] [c 32 16 3] [o 64 16 4] [d 16 8 3] [n 32 16 4]]
     [x (uniform b c d n n) f (weights c o 3 3 3)]
     (conv-transpose3d x f :stride 2 :padding 1 :dilation 2))
  (problem 78 "transposed convolution 2-D, 3 x 7, padding" [[b 8 1 2] [c 32 16 4] [h 512 128 7] [w 1024 256 11]]
     [x (uniform b c h w) f (weights c c 3 7)]
     (conv-transpose2d x f :padding [1 3]))
  (problem 79 "transposed convolution 1-D, stride 2, padding 1, dilation 2"
     [[b 16 2 2] [c 32 16 3] [o 64 32 5] [n 131072 16384 23]]
     [x (uniform b c n) f (weights c o 3)]
     (conv-transpose1d x f :stride 2 :padding 1 :dilation 2))
  (problem 80 "convolution 2-D, 5 x 9, padding, dilation" [[b 8 1 2] [c 32 16 3] [o 64 32 5] [n 512 128 19]]
     [x (uniform b c n n) f (weights o c 5 9)]
     (conv2d x f :padding [2 4] :dilation [2 3]))
  (problem 81 "transposed convolution 2-D, stride 5, padding 1, dilation 2"
     [[b 16 2 2] [c 32 16 3] [o 64 32 5] [h 64 32 4] [w 128 64 5]]
     [x (uniform b c h w) f (weights c o 3 3)]
     (conv-transpose2d x f :stride 5 :padding 1 :dilation 2))
  (problem 82 "depthwise convolution 2-D" [[b 16 2 2] [c 64 16 5] [n 512 256 9]]
     [x (uniform b c n n) f (weights c 1 3 3)]
     (conv2d x f :groups c))
  (problem 83 "depthwise convolution 2-D, 3 x 1" [[b 64 8 2] [c 8 8 5] [n 512 256 9]]
     [x (uniform b c n n) f (weights c 1 3 1)]
     (conv2d x f :groups c))
  (problem 84 "depthwise convolution 2-D of a wide image" [[b 64 2 2] [c 128 32 5] [h 256 128 7] [w 512 256 9]]
     [x (uniform b c h w) f (weights c 1 3 3)]
     (conv2d x f :groups c))
  (problem 85 "depthwise convolution 2-D, 3 x 7" [[b 32 2 2] [c 128 32 5] [h 128 128 7] [w 256 256 11]]
     [x (uniform b c h w) f (weights c 1 3 7)]
     (conv2d x f :groups c))
  (problem 86 "depthwise and pointwise convolution 2-D" [[b 16 1 2] [c 64 32 5] [o 128 64 7] [n 512 256 9]]
     [x (uniform b c n n) f (weights c 1 3 3) g (weights o c 1 1)]
     (conv2d (conv2d x f :padding 1 :groups c) g))
  (problem 87 "pointwise convolution 2-D" [[b 16 1 2] [c 64 32 5] [o 128 64 7] [n 1024 256 9]]
     [x (uniform b c n n) f (weights o c 1 1)]
     (conv2d x f))

  ;; Scans, losses, attention.
  (problem 88 "GELU by tanh" [[m 8192 2048 13] [n 8192 8192 57]] [x (centered m n)] (gelu x))
  (problem 89 "cumulative sum" [[m 32768 512 7] [n 32768 32768 91]] [x (uniform m n)] (cumsum x :axis 1))
  (problem 90 "cumulative product" [[m 32768 512 7] [n 32768 32768 91]] [x (uniform m n)] (cumprod x :axis 1))
  (problem 91 "cumulative sum from the end" [[m 32768 512 7] [n 32768 32768 91]]
     [x (uniform m n)]
     (cumsum x :axis 1 :reverse true))
  (problem 92 "exclusive cumulative sum" [[m 32768 512 7] [n 32768 32768 91]]
     [x (uniform m n)]
     (cumsum x :axis 1 :exclusive true))
  (problem 93 "cumulative sum of what a mask keeps" [[m 32768 512 7] [n 32768 32768 91]]
     [x (uniform m n) mask (coins m n)]
     (cumsum (where mask x 0) :axis 1))
  (problem 94 "mean squared error" [[m 32768 256 7] [n 32768 32768 91]]
     [p (uniform m n) t (uniform m n)]
     (mean (* (- p t) (- p t))))
  (problem 95 "cross-entropy" [[m 32768 4096 19] [n 4096 4096 23]]
     [x (centered m n) t (classes m n)]
     (cross-entropy x t))
  (problem 96 "Huber loss" [[m 32768 256 7] [n 32768 32768 91]]
     [p (centered m n) t (uniform m n)]
     (let [d (abs (- p t))]
       (mean (where (< d 1.0) (* 0.5 d d) (- d 0.5)))))
  (problem 97 "attention" [[b 32 2 2] [h 32 4 3] [t 512 256 9] [d 1024 128 20]]
     [q (uniform b h t d) k (uniform b h t d) v (uniform b h t d)]
     (let [scores (/ (einsum "bhtd,bhsd->bhts" q k) (sqrt (cast f32 (dim q 3))))]
       (einsum "bhts,bhsd->bhtd" (softmax scores) v)))
  (problem 98 "Kullback-Leibler divergence" [[m 16384 512 7] [n 16384 16384 91]]
     [p (shares m n) t (shares m n)]
     (/ (sum (* t (- (log t) (log p)))) (cast f32 (dim p 0))))
  (problem 99 "triplet loss" [[m 32768 512 7] [n 8192 8192 91]]
     [a (uniform m n) p (uniform m n) q (uniform m n)]
     (mean (max 0 (+ 1.0 (- (norm (+ (- a p) 1e-6) :axis 1) (norm (+ (- a q) 1e-6) :axis 1))))))
  (problem 100 "hinge loss" [[m 32768 256 7] [n 32768 32768 91]]
     [p (uniform m n) t (signs n)]
     (mean (max 0 (- 1.0 (* p t))))))
