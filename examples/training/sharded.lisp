;;; sharded.lisp - AdamW whose state is divided among the ranks of the axis dp (ZeRO-1: Rajbhandari et al. 2020).
;;;
;;; Each rank keeps its part of the moments and of the f32 weights. A step adds the gradients of all ranks, of which
;;; each gets its part (reduce-scatter), changes its part of the weights, and joins the parts of all, in the type that
;;; the formulas read (all-gather): as many bytes as to add all gradients on each rank, and fewer with bf16.
;;;
;;; Parts are of the numbers of a tensor in row-major order, and of equal size: where the ranks do not divide it, the
;;; last parts end with zeros, which stay 0.
;;;
;;;     (def-sharded Gpt2 bf16)       ; defines the record Gpt2Parts, and functions of it:
;;;     (parts-of m)                  ; this rank's parts of a record of f32
;;;     (take-parts parts m)          ; the same, in place
;;;     (join-weights w parts)        ; the whole of all parts, in the type of the formulas
;;;     (joined m parts)              ; the record of f32 of which they are parts, with the sizes of m
;;;     (sharded-step w parts mean square d norm rates adam count clip)
;;;     (state-bytes m parts)         ; of w, d, the weights and the moments, a parameter

(require ["./optimizer.lisp" :as optimizer])

(defn own-numbers [x] (own-part (reshape x [_]) :over dp :pad true))
(defn own-sum [d] (reduce-scatter (reshape d [_]) :over dp :pad true))
(defn take-part [(: part inout) x] (update part (own-numbers x)))

;; (joined-3 w part) is what the parts of all ranks are together, with the three sizes of w. (join-3 w part :type bf16)
;; puts it into w.
(defmacro def-joins [& dimensions]
  `(do
     ~@(map (fn [count]
              (let [sizes (map (fn [d] `(dim w ~d)) (range 0 count))]
                `(do
                   (defn ~(symbol (str "joined-" count)) [w part]
                     (reshape (all-gather part :over dp :size (* 1 ~@sizes)) [~@sizes]))
                   (defn ~(symbol (str "join-" count)) [(: w inout) part & {:type f32}]
                     (update w (~(symbol (str "joined-" count)) w (cast type part)))))))
            dimensions)))
(def-joins 1 2 3 4)

;; The norm of the gradients, of which each rank has parts, which are sums of `count` and are divided by as much.
(defn finish-norm [(: norm inout) (: count f32)]
  (update norm (all-reduce norm :over dp))
  (update norm (/ (sqrt norm) count)))

(defmacro def-sharded [Record type]
  (let [;; [[name [key ...] dimensions matrix?] ...] of the tensors of a record, through records and lists in it.
        tensors-of
          (fn [self record path keys listed]
            (apply concat
              (map (fn [field]
                     (let [name (str path (nth field 0))
                           form (nth field 1)
                           own-keys (concat keys [(keyword (nth field 0))])
                           is-list (and (list? form) (= (first form) (quote list)))
                           inner (if (list? form) (nth form 1) form)]
                       (cond (not (nil? (record-fields inner)))
                         (self self inner (str name "-") own-keys (or listed is-list))
                             (and (list? form) (= (first form) (quote tensor)))
                         [[(symbol name) own-keys (+ (- (count form) 2) (if listed 1 0)) (= (count form) 4)]]
                             :else [])))
                   (record-fields record))))
        tensors (tensors-of tensors-of Record "" [] false)
        Parts (symbol (str Record "Parts"))
        model `(record ~Record f32)
        whole (fn [record row] (reduce (fn [value key] `(~key ~value)) record (nth row 1)))
        part (fn [record row] `(~(keyword (nth row 0)) ~record))
        own (fn [row] (symbol (str "own-" (nth row 0))))
        join (fn [row] (symbol (str "join-" (nth row 2))))
        ;; The record whose tensors are joined; `value` is the one of their sizes.
        joined-of
          (fn [self record path value listed]
            (let [fields
                    (reduce
                      (fn [all field]
                        (let [name (str path (nth field 0))
                              key (keyword (nth field 0))
                              form (nth field 1)
                              is-list (and (list? form) (= (first form) (quote list)))
                              inner (if (list? form) (nth form 1) form)
                              dimensions (if (list? form) (+ (- (count form) 2) (if listed 1 0)) 0)]
                          (assoc all key
                            (cond (not (nil? (record-fields inner)))
                              (self self inner (str name "-") `(~key ~value) (or listed is-list))
                                  (and (list? form) (= (first form) (quote tensor)))
                              `(~(symbol (str "joined-" dimensions)) (~key ~value) (~(keyword name) parts))
                                  :else `(~key ~value)))))
                      {} (record-fields record))]
              `(~record f32 ~fields)))
        numbers (fn [row] (map (fn [d] `(dim ~(whole (quote m) row) ~d)) (range 0 (nth row 2))))]
    `(do
       (defrecord ~Parts
         ~@(map (fn [row] `[~(nth row 0) (tensor ~(symbol (str "size-" (nth row 0))) f32)]) tensors))

       (defn parts-of [(: m ~model)] -> ~Parts
         (~Parts ~@(map (fn [row] `(own-numbers ~(whole (quote m) row))) tensors)))

       (defn take-parts [(: parts (inout ~Parts)) (: m ~model)]
         ~@(map (fn [row] `(take-part ~(part (quote parts) row) ~(whole (quote m) row))) tensors))

       (defn join-weights [(: w (inout (record ~Record ~type))) (: parts ~Parts)]
         ~@(map (fn [row] `(~(join row) ~(whole (quote w) row) ~(part (quote parts) row) :type ~type)) tensors))

       (defn joined [(: m ~model) (: parts ~Parts)] -> ~model
         ~(joined-of joined-of Record "" (quote m) false))

       (defn sharded-step [(: w (inout (record ~Record ~type))) (: parts (inout ~Parts)) (: mean (inout ~Parts))
                           (: square (inout ~Parts)) (: d ~model) (: norm inout) (: rates (tensor 3 f32))
                           (: adam Adam) (: count f32) (: clip f32)]
         ~@(map (fn [row] `(def ~(own row) (own-sum ~(whole (quote d) row)))) tensors)
         (optimizer/clear norm)
         ~@(map (fn [row] `(optimizer/add-squares ~(own row) norm)) tensors)
         (finish-norm norm count)
         (def scale (optimizer/scale-of norm count clip))
         ~@(map (fn [row]
                  `(optimizer/adamw ~(part (quote parts) row) ~(part (quote mean) row) ~(part (quote square) row)
                                    ~(own row) rates scale adam ~(if (nth row 3) `(:decay adam) 0.0)))
                tensors)
         ;; All are cast before the first is joined: collectives that follow each other are done at once.
         ~@(map (fn [row] `(def ~(own row) (cast ~type ~(part (quote parts) row)))) tensors)
         ~@(map (fn [row] `(~(join row) ~(whole (quote w) row) ~(own row) :type ~type)) tensors))

       (defn state-bytes [(: m ~model) (: parts ~Parts)] -> f64
         (def whole (+ ~@(map (fn [row] `(* 1 ~@(numbers row))) tensors)))
         (def of-rank (+ ~@(map (fn [row] `(dim ~(part (quote parts) row) 0)) tensors)))
         (+ (: ~(if (= type (quote bf16)) 6.0 8.0) f64)
            (* 12.0 (/ (cast f64 (cast i64 of-rank)) (cast f64 (cast i64 whole)))))))))
