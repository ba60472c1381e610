; Reductions: of all elements, along :axis n or :axes [n ...], whose dimensions :keep true leaves with the size 1.

(defn var
  "The mean of (x - mean x)^2, along axes or of all elements: NumPy's var, which divides by the number of elements."
  [x & {:axis _ :axes _ :keep false}]
  (let [d (- x (mean x :axis axis :axes axes :keep true))]
    (mean (* d d) :axis axis :axes axes :keep keep)))

(defn std
  "The square root of var, along axes or of all elements. Its gradient is 0 where it is 0."
  [x & {:axis _ :axes _ :keep false}]
  (let [v (var x :axis axis :axes axes :keep keep)]
    (where (= v 0) 0 (sqrt v))))

(defn norm
  "The square root of the sum of x^2, along axes or of all elements. Its gradient is 0 where it is 0."
  [x & {:axis _ :axes _ :keep false}]
  (let [s (sum (* x x) :axis axis :axes axes :keep keep)]
    (where (= s 0) 0 (sqrt s))))

(defn logsumexp
  "log sum exp(x), along axes or of all elements, of which the greatest is subtracted before and added after; -inf of
  elements that all are."
  [x & {:axis _ :axes _ :keep false}]
  (let [most (stop-gradient (max x :axis axis :axes axes :keep true))
        finite (where (= (abs most) inf) 0 most)]
    (+ (log (sum (exp (- x finite)) :axis axis :axes axes :keep keep))
       (sum finite :axis axis :axes axes :keep keep))))
