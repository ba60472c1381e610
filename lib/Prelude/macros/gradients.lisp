; Gradients: rules of the program's own, and a comparison with differences.

; A function that takes the arguments and the cotangent of the result; IRGen finds it by its name.
(defmacro defgrad "(defgrad f [x ... & {:keyword default}] :saves [name value ...] :grad [dy] [gradient ...])"
  [f parameters & rules]
  (let [saves? (and (not (empty? rules)) (= (first rules) :saves))
        saves (if saves? (nth rules 1) [])
        grad (if saves? (drop 2 rules) rules)]
    (if (and (symbol? f) (vector? parameters) (= (count grad) 3) (= (first grad) :grad) (vector? (nth grad 1))
             (vector? (nth grad 2)))
      (let [keys? (and (> (count parameters) 1) (map? (last parameters)))
            plain (if keys? (take (- (count parameters) 2) parameters) parameters)]
        `(defn ~(symbol f "%gradient")
               ~(vec (concat plain (nth grad 1) (if keys? (list (quote &) (last parameters)) [])))
           (let [~@saves] ~(nth grad 2))))
      (error "a rule is (defgrad f [x ...] :saves [name value ...] :grad [dy] [gradient ...])" f))))

(defmacro check-gradients "(check-gradients f argument ... :wrt [0] :keyword constant ...)" [f & operands]
  (let [size (- (count operands) (* 2 (count (filter keyword? operands))))
        options (drop size operands)
        given (and (not (empty? options)) (= (first options) :wrt))
        wrt (cond (not given) [0] (vector? (nth options 1)) (nth options 1) :else [(nth options 1)])
        keywords (if given (drop 2 options) options)
        names (map (fn [i] (gensym)) (range size))
        gradients (map (fn [k] (gensym)) wrt)
        directions (map (fn [i] (gensym)) (range size))
        chosen (fn [i] (not (empty? (filter (fn [k] (= k i)) wrt))))
        step (fn [sign i] `(~sign ~(nth names i) (* 1e-3 ~(nth directions i))))
        moved (fn [sign] (map (fn [i] (if (chosen i) (step sign i) (nth names i))) (range size)))]
    (if (empty? (filter (fn [k] (or (not (number? k)) (< k 0) (>= k size))) wrt))
      `(let [~@(apply concat (map list names (take size operands)))
             ~(vec gradients) (grad ~f ~@names :wrt ~(vec wrt) ~@keywords)
             ~@(apply concat
                 (map (fn [k g] [(nth directions k) `(gradient-direction ~(nth names k) ~g)]) wrt gradients))
             exact# (at (+ ~@(map (fn [k g] `(sum (* ~(nth directions k) ~g))) wrt gradients)))
             more# (at (~f ~@(moved (quote +)) ~@keywords))
             less# (at (~f ~@(moved (quote -)) ~@keywords))
             slope# (/ (- more# less#) 2e-3)]
         (/ (abs (- slope# exact#)) (max 1.0 (abs slope#))))
      (error "`:wrt` is numbers of arguments here" f))))
