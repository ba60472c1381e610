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
  comes first; a NaN is greatest. x: [... n] of floats, k <= n; both results: [... k]."
  [x (: k index)]
  (let [first (slice x :axis -1 :from 0 :to k)
        width (cast i64 (bit-width x))
        keys (ordered-bits (stop-gradient x))
        rows (stack keys :axis -2) ; [... 1 n]
        digits (iota i64 [16 1] :axis 0)
        least (full-like (max rows :axis -1 :keep true) (- (shift-left (: 1 i64) (- width 1))))]
    ; The k-th greatest key, four bits at a time from the highest on: the greatest that as many as k are not below.
    (def kth
      (fold [so-far least] [i 0 (/ (bit-width x) 4)]
        (def limits (+ so-far (shift-left digits (- width (* 4 (+ 1 (cast i64 i)))))))
        (def counts (sum (cast i64 (>= rows limits)) :axis -1 :keep true))
        (max (where (>= counts (cast i64 k)) limits least) :axis -2 :keep true)))
    (def bound (max kth :axis -1))
    ; How many of the k are up to each place: all that are above, and of equal ones the first.
    (def above (cumsum (cast i64 (> keys bound)) :axis -1))
    (def equal (cumsum (cast i64 (= keys bound)) :axis -1))
    (def missing (- (cast i64 k) (max above :axis -1 :keep true)))
    (def chosen (cast i32 (+ above (min equal missing))))
    ; The first place at which there are 1 to k: half of the places in each step.
    (def wanted (+ 1 (iota i32 [k])))
    (def start (cast i32 (< first first)))
    (def [places _]
      (fold [low start high (+ start (cast i32 (- (dim x -1) 1)))] [i 0 (sorting-steps x)]
        (def middle (/ (+ low high) 2))
        (def is-reached (>= (gather chosen middle :axis -1 :batch -1) wanted))
        [(where is-reached low (+ middle 1)) (where is-reached middle high)]))
    (def order (argsort (gather keys places :axis -1 :batch -1) :descending true))
    (def sorted (gather places order :axis -1 :batch -1))
    (func.return (gather x sorted :axis -1 :batch -1) sorted)))

(defn sample
  "A token drawn from softmax(logits / temperature), i32: of the top-k likeliest (0: of all), and of these of the fewest
  likeliest whose share is at least top-p (1: of all); the first of the likeliest if the temperature is 0. Equally
  likely tokens are kept together. logits: [v]; the result is [1]. state, the random number's, is memory that each draw
  changes, memref<1xi64>. Fan et al. 2018, Holtzman et al. 2020; nn.sample of dialects/NN has the steps."
  [(: logits (tensor v f32)) (: state memref<1xi64>) (: temperature f32) (: top-k i32) (: top-p f32)]
  (nn.sample logits (zeros f32 [v]) state temperature top-k top-p (zeros i32 [1])))
