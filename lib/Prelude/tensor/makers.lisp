; New tensors.

(defn zeros-like "Zeros of the sizes and the type of x." [x] (where (= 0 1) x 0))
