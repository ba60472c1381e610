; Functions of the rows of a tensor: along its last axis, or along :axis.

(defn softmax "exp(x - max x) / sum exp(x - max x) along an axis." [x & {:axis -1}]
  (let [e (exp (- x (max x :axis axis :keep true)))]
    (/ e (sum e :axis axis :keep true))))

(defn log-softmax "x - max x - log sum exp(x - max x) along an axis." [x & {:axis -1}]
  (let [d (- x (max x :axis axis :keep true))]
    (- d (log (sum (exp d) :axis axis :keep true)))))

(defn layer-norm
  "(x - mean x) / sqrt(var x + eps) g + b along the last axis. x: [... c], g, b: [c]. Ba, Kiros, Hinton 2016."
  [x g b & {:eps 1e-5}]
  (let [d (- x (mean x :axis -1 :keep true))]
    (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) eps)) g) b)))

(defn rms-norm
  "x / sqrt(mean x^2 + eps) g along the last axis. x: [... c], g: [c]. Zhang, Sennrich 2019."
  [x g & {:eps 1e-5}]
  (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) eps)) g))
