;;; rows.lisp - times of row and elementwise formulas; rows gpu|cpu prints a line for each.
(require-dialect memref gpu)
(require ["./cases.lisp" :as cases] ["../bench_tiles/timing.lisp" :as timing]
         ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./cases.lisp" "../../../examples/kernels/device-time.lisp")

(defmacro softmax-case [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 ~rows ~columns 2]]
     (measure ~(str "softmax " rows "x" columns) 20 (softmax (load x)) y)
     (println "  largest relative error %.1e" (cases/softmax-error (any-size f32 x) (any-size f32 y)))))

(defmacro layer-norm-case [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 ~rows ~columns 2] [w f32 1 ~columns 3] [b f32 1 ~columns 4]]
     (measure ~(str "layer norm " rows "x" columns) 20 (layer-norm (load x) (at (load w) 0) (at (load b) 0)) y)))

;; Rows of BF16, which are computed in F32.
(defmacro bf16-cases [rows columns]
  `(with-tensors [[x bf16 ~rows ~columns 1] [y bf16 ~rows ~columns 2] [w bf16 1 ~columns 3] [b bf16 1 ~columns 4]]
     (measure ~(str "bf16 softmax " rows "x" columns) 20 (softmax (load x)) y)
     (measure ~(str "bf16 layer norm " rows "x" columns) 20
              (layer-norm (load x) (at (load w) 0) (at (load b) 0)) y)
     (measure ~(str "bf16 GELU " rows "x" columns) 20 (gelu (load x)) y)
     (measure ~(str "bf16 masked softmax of GELU " rows "x" columns) 20
              (softmax (where (> (load x) 0.1) (gelu (load x)) -inf)) y)))

(defmacro elementwise-cases [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [z f32 ~rows ~columns 2] [y f32 ~rows ~columns 3]]
     (measure ~(str "GELU " rows "x" columns) 20 (gelu (load x)) y)
     (measure ~(str "add " rows "x" columns) 20 (+ (load x) (load z)) y)))

(defmacro cast-case [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y bf16 ~rows ~columns 2]]
     (measure ~(str "cast to BF16 " rows "x" columns) 20 (cast bf16 (load x)) y)))

(defmacro transpose-case [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 ~columns ~rows 2]]
     (measure ~(str "transpose " rows "x" columns) 20 (transpose (load x)) y)))

(defmacro sum-cases [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 ~rows 1 2] [z f32 1 ~columns 3]]
     (measure ~(str "sums of rows " rows "x" columns) 20 (sum (load x) :axis 1 :keep true) y)
     (measure ~(str "sums of columns " rows "x" columns) 20 (sum (load x) :axis 0 :keep true) z)))

;; Of known sizes, and of a length that only the run knows.
(defmacro total-cases [rows columns]
  `(with-tensors [[x f32 ~rows ~columns 1] [y f32 1 1 2]]
     (measure ~(str "sum of all " rows "x" columns) 20 (reshape (sum (load x)) [1 1]) y)
     (println "  largest relative error %.1e" (cases/total-error (any-size f32 x) (any-size f32 y)))
     (let [all (timing/flat (any-size f32 x))]
       (measure ~(str "sum of any length " rows "x" columns) 20 (reshape (sum (load all)) [1 1]) y))
     (println "  largest relative error %.1e" (cases/total-error (any-size f32 x) (any-size f32 y)))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def wanted (options/wanted (cstring "gpu or cpu") (options/word count words (: 0 i64))))
  (on "gpu"
    (softmax-case 65536 768)
    (softmax-case 8192 8192)
    (softmax-case 8192 50257)
    (softmax-case 8192 50304)
    (layer-norm-case 65536 768)
    (bf16-cases 8192 8192)
    (bf16-cases 8192 50257)
    (copy-case 65536 768)
    (copy-case 8192 50257)
    (elementwise-cases 8192 50257)
    (cast-case 8192 50257)
    (transpose-case 16384 16384)
    (sum-cases 16384 16384)
    (sum-cases 524288 64)
    (total-cases 16384 16384)
    (total-cases 4096 4096))
  (on "cpu"
    (softmax-case 1823 781)
    (softmax-case 1024 4096)
    (softmax-case 64 50257)
    (layer-norm-case 8192 768)
    (bf16-cases 1024 4096)
    (elementwise-cases 2048 2048)
    (cast-case 2048 2048)
    (transpose-case 2048 2048)
    (sum-cases 2048 2048)))
