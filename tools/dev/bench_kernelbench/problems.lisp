;;; problems.lisp - what tools/dev/bench-kernelbench makes of the formulas of level1.lisp: programs that compute them,
;;; print what is compared with PyTorch's results, and the time.
;;; A file that uses them requires the files below, too.
(require-dialect memref gpu)
(require ["./operands.lisp" :as operands] ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])

;; The place of each element of a tensor in row-major order.
(defmacro places [sizes]
  (if (= (count sizes) 1)
    `(iota i64 ~sizes)
    (let [others (vec (rest sizes))
          ones (vec (cons (first sizes) (map (fn [d] 1) others)))]
      `(+ (* (iota i64 ~ones :axis 0) ~(reduce * others)) (places ~others)))))

;; (timed NUMBER body): executes the body once for nothing, once to see how long it takes, and then up to 20 times in
;; a row, for half a second; prints the mean time of these.
(defmacro timed [number & body]
  `(let [mark# (device-alloc memref<?xf32> [(: 1 index)])]
     (parallel [i# 1] (memref.store 0.0 mark# i#))
     (def [_ start# rounds#]
       (loop [i# (: 0 index) start# (: 0.0 f64) rounds# (: 1 index)] :while (< i# (+ 2 rounds#))
         :do (do
               (def now# (if (<= i# 2) (do (device-time/finish mark#) (options/seconds)) start#))
               (def count# (if (= i# 2)
                             (max 1 (min 20 (cast index (cast i64 (/ 0.5 (max 1e-6 (- now# start#)))))))
                             rounds#))
               ~@body
               [(+ i# 1) now# count#])))
     (device-time/finish mark#)
     (println "%d time %.3f us" (: ~number i32)
              (/ (* 1e6 (- (options/seconds) start#)) (cast f64 (cast i64 rounds#))))))

;; Which column of sizes the program is compiled for: 1, a GPU's, which are the suite's; 2, a CPU's; 3, small ones.
(defmacro column [] (get {:gpu 1 :cpu 2} (keyword (or (program-option "--sizes") "small")) 3))

;; (with-operands [{:name name :kind kind :shape sizes :last size :seed seed} ...] body ...): memory with the operands.
(defmacro with-operands [operands & body]
  (if (empty? operands)
    `(do ~@body)
    (let [o (first operands)]
      `(let [~(get o :name) (to-memref (~(symbol (str "operands/" (get o :kind))) (places ~(get o :shape))
                                                                         :seed ~(get o :seed) :last ~(get o :last)))]
         (with-operands ~(rest operands) ~@body)
         (device-free! ~(get o :name))))))

;; The two functions of a problem: the formula, and what computes it for its operands and prints.
(defmacro define-problem [number title names operands & formula]
  (let [at (column)
        small (= at 3)
        size (fn [d] (if (number? d) d (nth (first (filter (fn [row] (= (first row) d)) names)) at)))
        ; (classes m n) are m integers below n, each other (kind size ...) has all of these sizes.
        operand (fn [i]
                  (let [[kind & sizes] (nth operands (+ 1 (* 2 i)))
                        numbers (map size sizes)
                        classes (= (str kind) "classes")]
                    {:name (nth operands (* 2 i)) :kind (str kind) :seed (+ i 1) :last (last numbers)
                     :shape (vec (if classes (take (- (count numbers) 1) numbers) numbers))
                     :type (if classes (quote i64) (if (= (str kind) "coins") (quote i1) (quote f32)))}))
        all (map operand (range (quotient (count operands) 2)))
        f (symbol (str "formula-" number))
        y (gensym "y")
        call `(~f ~@(map (fn [o] (get o :name)) all))]
    `(do
       (defn ~f [~@(map (fn [o] `(: ~(get o :name) (tensor ~@(get o :shape) ~(get o :type)))) all)]
         (let [~@(apply concat (map (fn [row] [(first row) (nth row at)]) names))] ~@formula))
       (defn ~(symbol (str "problem-" number)) []
         (with-operands ~(vec all)
           (let [~y (to-memref ~call)]
             ~@(if small (list) (list `(timed ~number (store ~call ~y))))
             (operands/report ~y :number ~number :samples ~(if small 8 256))
             (device-free! ~y)))))))

;; (problems (problem NUMBER "name" sizes operands formula) ...): a program of those from --first to --last.
(defmacro problems [& all]
  (let [low (read-number (or (program-option "--first") "1"))
        high (read-number (or (program-option "--last") "1000"))
        chosen (filter (fn [p] (and (<= low (nth p 1)) (<= (nth p 1) high))) all)]
    `(do
       ~@(map (fn [p] `(define-problem ~@(rest p))) chosen)
       (defn main [] ~@(map (fn [p] `(~(symbol (str "problem-" (nth p 1))))) chosen)))))
