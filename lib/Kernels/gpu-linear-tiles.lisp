;; gpu-linear-tiles.lisp - macros of `nn.linear` for several tokens on AMD's matrix units: tile programs
;;
;; A block computes `rows` tokens by `columns` outputs. w is BF16; F32 numbers of x are split into two BF16 terms, with
;; a relative error of 2^-17, as in gpu-matmul.lisp. What is loaded beyond a memref's end is 0: so an absent bias or
;; residual is an empty one.

;; Of tiles, whose constants have no types. :tile of activation-codes.
(defmacro gelu-of-tile [x] `(* 0.5 ~x (+ 1.0 (tanh (* 0.7978845608 (+ ~x (* 0.044715 ~x ~x ~x)))))))
(defmacro relu-of-tile [x] `(max ~x 0.0))
(defmacro rectify-of-tile [x] `(where (> ~x 0.0) ~x 0.0))
(defmacro silu-of-tile [x] `(/ ~x (+ 1.0 (exp (- 0.0 ~x)))))

;; The program linear-A-O for element types of x, and of residual and out.
(defmacro linear-program [A O]
  (let [product (fn [x sums] `(dot ~x weights ~sums :transpose-b true))]
    `(deftile ~(symbol (str "linear-" A "-" O)) {:const [rows columns step activation] :warps 4 :stages 2}
       [(: x ~(rows-of A)) (: w ~(rows-of `bf16)) (: bias "memref<?xbf16, strided<[1], offset: ?>>")
        (: residual ~(rows-of O)) (: out ~(rows-of O))]
       (def t (* rows (program-id 1)))
       (def n (* columns (program-id 0)))
       (def sums
         (fold [sums (zeros f32 [rows columns])] [k 0 (memref.dim x 1) step]
           (def weights (load w [n k] [columns step]))
           ~(if (= (str A) "f32")
              `(do
                 (def exact (load x [t k] [rows step]))
                 (def high (cast bf16 exact))
                 (def low (- exact (cast f32 high)))
                 ;; Infinity minus infinity is no number.
                 ~(product `high (product `(cast bf16 (where (= low low) low 0.0)) `sums)))
              (product `(load x [t k] [rows step]) `sums))))
       (def y (+ sums (cast f32 (load bias [n] [columns]))))
       (def active
         ~(reduce (fn [rest row] `(if (= activation ~(nth row 0)) (~(nth row 1) y) ~rest)) `y (tile-activations)))
       (store (cast ~O (+ active (cast f32 (load residual [t n] [rows columns])))) out [t n]))))

;; All but `none` as [number code].
(defmacro tile-activations []
  (let [codes (activation-codes)]
    `(quote ~(map (fn [row] [(nth row 0) (get (get codes (nth row 1)) :tile)])
                  (filter (fn [row] (not (= (str (nth row 1)) "none"))) (activations))))))

(defmacro linear-tiles [A O]
  `(launch ~(symbol (str "linear-" A "-" O))
     {:grid [(ceil-div N 64) (ceil-div T 64)]
      :const {:rows 64 :columns 64 :step 32
              :activation ((cast index activation) :among ~(apply vector (map first (activations))))}}
     x w bias residual out))
