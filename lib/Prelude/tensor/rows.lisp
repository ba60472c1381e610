; Functions of the rows of a tensor: along its last axis, or along :axis.

(defn softmax "exp(x - max x) / sum exp(x - max x) along an axis." [x & {:axis -1}]
  (let [e (exp (- x (max x :axis axis :keep true)))]
    (/ e (sum e :axis axis :keep true))))

(defn log-softmax "x - max x - log sum exp(x - max x) along an axis." [x & {:axis -1}]
  (let [d (- x (max x :axis axis :keep true))]
    (- d (log (sum (exp d) :axis axis :keep true)))))

(defn layer-norm
  "(x - mean x) / sqrt(var x + eps) g + b along the last axis. x: [... c], g, b: [c]. Ba, Kiros, Hinton 2016.
   The mean is subtracted twice, since it is rounded: of a row of equal numbers nothing is left."
  [x g b & {:eps 1e-5}]
  (let [a (- x (mean x :axis -1 :keep true))
        d (- a (mean a :axis -1 :keep true))]
    (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) eps)) g) b)))

(defn rms-norm
  "x / sqrt(mean x^2 + eps) g along the last axis. x: [... c], g: [c]. Zhang, Sennrich 2019."
  [x g & {:eps 1e-5}]
  (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) eps)) g))

(defn topk
  "The k greatest numbers along the last axis, the greatest first, and their indices, i32. Of equal numbers the first
  comes first; a NaN is greatest. x: [... n], k <= n; both results: [... k]."
  [x (: k index)]
  (let [places (first-places x k :descending true)]
    (func.return (gather x places :axis -1 :batch -1) places)))

(defn sample
  "A token drawn from softmax(logits / temperature), i32: of the top-k likeliest (0: of all), and of these of the fewest
  likeliest whose share is at least top-p (1: of all); the first of the likeliest if the temperature is 0. Equally
  likely tokens are kept together. logits: [v]; the result is [1]. state, the random number's, is memory that each draw
  changes, memref<1xi64>. Fan et al. 2018, Holtzman et al. 2020; nn.sample of dialects/NN has the steps."
  [(: logits (tensor v f32)) (: state memref<1xi64>) (: temperature f32) (: top-k i32) (: top-p f32)]
  (nn.sample logits (zeros f32 [v]) state temperature top-k top-p (zeros i32 [1])))
