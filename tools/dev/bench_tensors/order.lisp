;;; order.lisp - times of sorts and of the first in order; order gpu|cpu prints a line for each.
(require-dialect memref gpu)
(require ["./cases.lisp" :as cases] ["../bench_tiles/timing.lisp" :as timing]
         ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./cases.lisp" "../../../examples/kernels/device-time.lisp")

;; How many neighbours are not in order, ascending or descending, and how many elements of the rows the places do not
;; have once. A NaN is in no order.
(defn misplaced [x order & {:descending false}]
  (let [n (dim x 1)
        p (slice order :axis 1 :to -1) q (slice order :axis 1 :from 1)
        a (gather x p :axis 1 :batch 1) b (gather x q :axis 1 :batch 1)
        good (or (if descending (> a b) (< a b)) (and (= a b) (< p q)))
        all (* (dim x 0) n)
        flat (+ order (* (cast i32 (cast i64 n)) (reshape (iota i32 [(dim x 0)]) [(dim x 0) 1])))
        counts (add-at (zeros f32 [all]) (reshape flat [all]) (ones-like (reshape (cast f32 order) [all])))]
    (+ (sum (cast i64 (not good))) (sum (cast i64 (!= counts 1.0))))))

(defmacro order-case [T rows columns]
  (let [name (fn [what] (str what " " T " " rows "x" columns))]
    `(with-tensors [[x ~T ~rows ~columns 1] [y ~T ~rows ~columns 2]]
       (let [places (device-alloc ~(str "memref<" rows "x" columns "xi32>") [])]
         (measure ~(name "sort") 20 (sort (load x)) y)
         (measure ~(name "argsort") 20 (argsort (load x)) places)
         (println "  wrong places")
         (println (misplaced (load x) (load places)))
         (device-free! places)))))

;; Beside the first of the whole order.
(defmacro topk-case [T rows columns k]
  `(with-tensors [[x ~T ~rows ~columns 1] [y ~T ~rows ~k 2]]
     (let [places (device-alloc ~(str "memref<" rows "x" k "xi32>") [])]
       (measure-do ~(str "topk " k " " T " " rows "x" columns) 20
         (let [[values at] (topk (load x) ~k)]
           (store values y)
           (store at places)))
       (println "  wrong places")
       (println (sum (cast i64 (!= (load places) (slice (argsort (load x) :descending true) :axis 1 :to ~k)))))
       (device-free! places))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def wanted (options/wanted (cstring "gpu or cpu") (options/word count words (: 0 i64))))
  (on "gpu"
    (topk-case f32 1 50257 50)
    (topk-case f32 256 50257 50)
    (topk-case bf16 256 50257 50)
    (topk-case f32 1 16777216 100)
    (order-case f32 1 50257)
    (order-case f32 4096 256)
    (order-case f32 4096 2048)
    (order-case f32 1024 50257)
    (order-case f32 1 16777216)
    (order-case bf16 1 16777216))
  (on "cpu"
    (topk-case f32 1 50257 50)
    (topk-case f32 64 50257 50)
    (order-case f32 1024 256)
    (order-case f32 1 1048576)))
