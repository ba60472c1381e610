(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])
(defrecord Net [first Linear] [layers (list Linear)] [scale f32])

(defn rows "Softmax of each row." [(: x (tensor n c f32))] (softmax x))
(defn both "Two results." [(: x (tensor n c f32)) (: a f32)] (def y (* a x)) [(sum y :axis 0) y])
(defn twice "Doubles memory of the caller." [(: x (inout (tensor n f32)))] (update x (* 2.0 x) [0]))
(defn grown "What a loop ends with." [(: x (tensor n f32)) (: k index)] (fold [a x] [i 0 k] (* a 1.5)))
(defn total [(: x (tensor n f32))] (sum x))
(defn joined [(: x (tensor n f32)) (: y (tensor m f32))] (concat x y :axis 0))
(defn same [(: x (tensor n f32))] x)
(defn square [(: x (tensor 3 3 f64))] (einsum "ij,jk->ik" x x))
(defn masked [(: x (tensor n f32)) (: mask (tensor n i1))] (where mask x 0.0))
(defn picked [(: table (tensor v c f32)) (: rows (tensor n i32))] (gather table rows))
(defn layer [(: x (tensor t k f32)) (: w Linear)] (+ (einsum "tk,nk->tn" x (:weight w)) (:bias w)))
(defn net [(: x (tensor t k f32)) (: w Net)]
  (fold [y (layer x (:first w))] [l (:layers w)] (* (:scale w) (layer y l))))
(defn number [(: a f32) (: b i8) (: c i1) (: d i64)] -> f32 (+ (* a (cast f32 b)) (cast f32 (if c d 0))))
(defn add [x y] (+ x y))
(defn exp-of "Its C name is not the C library's." [(: x (tensor n f32))] (exp x))

(export rows both twice grown total joined same square masked picked layer net number exp-of
  (add (tensor n f32) (tensor n f32)) (add (tensor n bf16) (tensor n bf16) :as add-bf16)
  (softmax (tensor n c f32) :axis 0 :as columns))
