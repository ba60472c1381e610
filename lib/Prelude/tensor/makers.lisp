; New tensors, and parts of given ones.

(defn zeros-like "Zeros of the sizes and the type of x." [x] (where (= 0 1) x 0))

(defn ones-like "Ones of the sizes and the type of x." [x] (where (= 0 1) x 1))

(defn full-like "The value, in the sizes and the type of x." [x value] (where (= 0 1) x value))

(defn eye "[n n]: 1 on the diagonal, or on the k-th above it, below it if k is negative, else 0."
  [(: n index) & {:type f32 :k 0}]
  (cast type (= (+ (iota i64 [n 1] :axis 0) k) (iota i64 [n]))))

(defn linspace "[n]: numbers at equal distances, the first start and the last end; of one number start."
  [start end (: n index) & {:type f32}]
  (let [a (cast type start)
        b (cast type end)
        last (- n 1)
        places (iota index [n])
        step (/ (- b a) (cast type (cast i64 (max last 1))))]
    (where (and (= places last) (> n 1)) b (+ a (* step (cast type (cast i64 places)))))))

(defn tril
  "x where the column is at most the row plus k, else 0: on and below the diagonal of each matrix. x: [... m n]."
  [x & {:k 0}]
  (where (<= (iota i64 [(dim x -1)]) (+ (iota i64 [(dim x -2) 1] :axis 0) k)) x 0))

(defn triu
  "x where the column is at least the row plus k, else 0: on and above the diagonal of each matrix. x: [... m n]."
  [x & {:k 0}]
  (where (>= (iota i64 [(dim x -1)]) (+ (iota i64 [(dim x -2) 1] :axis 0) k)) x 0))
