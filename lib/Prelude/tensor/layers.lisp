; Layers of models.

(defn linear "x w^T + b. x: [... k], w: [n k], b: [n]; the result is [... n]." [x w b]
  (+ (einsum "...k,nk->...n" x w) b))

(defn one-hot "[... n]: 1 where the last index is the integer of indices, else 0; of one outside a row of zeros.
  indices: [...]."
  [indices n & {:type f32}]
  (cast type (= (iota i64 [n]) (stack (cast i64 indices) :axis -1))))

(defn embedding "The rows of a table. table: [v c], tokens: integers [...]; the result is [... c]." [table tokens]
  (gather table tokens))

(defn cross-entropy
  "The mean of -log softmax(logits)[target] over the rows whose target is not :ignore, NaN if there is none; at least
  f32. Other targets outside of the classes are errors, as indices of gather. logits: [... v], targets: integers [...]."
  [logits targets & {:ignore -9223372036854775808}]
  (let [all (= ignore -9223372036854775808)
        wide (* (: 1.0 f32) logits)
        counts (!= (cast i64 targets) ignore)
        greatest (stop-gradient (max wide :axis -1)) ; It is subtracted, and added again.
        total (log (sum (exp (- wide (stack greatest :axis -1))) :axis -1))
        classes (if all targets (where counts targets 0))
        chosen (- (* (: 1.0 f32) (gather logits classes :axis -1 :batch -1)) greatest)
        losses (- total chosen)]
    ; A mean of all rows: no number that is computed of all is needed by each row's gradient.
    (if all (mean losses) (/ (sum (where counts losses 0)) (sum (cast f32 counts))))))

(defn rope
  "Turns the pairs (x[i], x[i + d/2]) by (start + t) base^(-2i/d) radians. x: [... t d], start: a number.
   Su et al. 2021."
  [x start & {:base 10000.0}]
  (def half (/ (dim x -1) 2))
  (def steps (exp (* (iota f32 [half]) (/ (cast f32 (- (log base))) (cast f32 half)))))
  (def angles (* (+ (iota f32 [(dim x -2) 1] :axis 0) (cast f32 start)) steps))
  (def [a b] (split x 2 :axis -1))
  (concat (- (* a (cos angles)) (* b (sin angles))) (+ (* a (sin angles)) (* b (cos angles))) :axis -1))

(defn attention
  "softmax(q k^T / sqrt(d)) v. q: [h t d], k, v: [h s d]. :causal leaves out keys after the query; the last query sees
   all keys. :scale replaces 1/sqrt(d). Vaswani et al. 2017."
  [q k v & {:causal true :scale 0}]
  (def factor (if (= scale 0) (rsqrt (cast f32 (dim q 2))) (cast f32 scale)))
  (def scores (* factor (einsum "htd,hsd->hts" q k)))
  (def shift (- (dim k 1) (dim q 1)))
  (def rows (iota index [(dim q 1) 1] :axis 0))
  (def masked (if causal (where (<= (iota index [(dim k 1)]) (+ rows shift)) scores -inf) scores))
  (einsum "hts,hsd->htd" (softmax masked) v))
