;;; optimizer.lisp - AdamW, clipping by the norm of all gradients, schedules of the learning rate.
;;;
;;; What changes from step to step is in the device's memory, so that a step is the same work each time: `Rates` has the
;;; numbers of a step, `norm` stays where it is computed. Weights, moments and gradients are f32 records of one type.

(require-dialect memref)

;; Moments of the gradients, and their decay; epsilon; the decay of weights.
(defrecord Adam [beta1 f32] [beta2 f32] [epsilon f32] [decay f32])
(defn usual-adam [(: decay f32)] -> Adam (Adam {:beta1 0.9 :beta2 0.95 :epsilon 1e-8 :decay decay}))

;; Adds the squares of a gradient to their sum, one number.
(defn add-squares [g (: total inout)]
  (def row (reshape g [_]))
  (update total (+ total (sum (* row row)))))

(defn clear [(: x inout)] (update x (zeros-like x)))

;; AdamW (Loshchilov, Hutter 2019) of one tensor, in place. `rates` [3]: the learning rate, 1 / (1 - beta1^t) and
;; 1 / (1 - beta2^t) of step t. `scale` [1] is what the gradient is multiplied with.
(defn adamw [(: w inout) (: mean inout) (: square inout) g (: rates (tensor 3 f32)) (: scale (tensor 1 f32))
             (: adam Adam) (: decay f32)]
  (def [rate c1 c2] (split rates 3 :axis 0))
  (def gradient (* scale g))
  (def m (+ (* (:beta1 adam) mean) (* (- 1.0 (:beta1 adam)) gradient)))
  (def v (+ (* (:beta2 adam) square) (* (- 1.0 (:beta2 adam)) gradient gradient)))
  (update w (- w (* rate (+ (/ (* c1 m) (+ (sqrt (* c2 v)) (:epsilon adam))) (* decay w)))))
  (update mean m)
  (update square v))

;; What gradients that are sums of `parts` are multiplied with: a norm above `clip` is scaled to it, if that is not 0.
(defn scale-of [(: norm (tensor 1 f32)) (: parts f32) (: clip f32)]
  (/ (if (> clip 0.0) (min 1.0 (/ clip (+ norm 1e-6))) (+ 1.0 (* 0.0 norm))) parts))

;; A step of all weights of a record, of which matrices decay; with :decay-all vectors do, too. `norm` [1] becomes that
;; of the gradients, which are sums of `parts` and are divided by as much; a norm above `clip` is scaled to it, if that
;; is not 0.
(defmacro adamw-step [record m mean square d norm rates adam parts clip & options]
  `(do
     (clear ~norm)
     (each-field ~record add-squares [~d] ~norm)
     (update ~norm (/ (sqrt ~norm) ~parts))
     (let [scale# (scale-of ~norm ~parts ~clip)]
       (each-field ~record adamw [~m ~mean ~square ~d] ~rates scale# ~adam (:decay ~adam) :dimensions 2)
       (each-field ~record adamw [~m ~mean ~square ~d] ~rates scale# ~adam
                   ~(if (get (reduce (fn [all i] (assoc all (nth options i) (nth options (+ i 1)))) {}
                                     (range 0 (count options) 2))
                             :decay-all)
                        `(:decay ~adam) 0.0)
                   :dimensions 1))))

;; The learning rate of step 0, 1, ..., `steps` - 1, which rises to `peak` in the first `warmup` steps.
(defn constant-rate [(: step f64) (: steps f64) (: peak f64) (: final f64)] -> f64 peak)
(defn linear-rate [(: step f64) (: steps f64) (: peak f64) (: final f64)] -> f64
  (+ peak (* (/ step steps) (- final peak))))
(defn cosine-rate [(: step f64) (: steps f64) (: peak f64) (: final f64)] -> f64
  (+ final (* 0.5 (- peak final) (+ 1.0 (cos (* 3.141592653589793 (/ step steps)))))))
;; Warm-up, stable, decay (Hu et al. 2024): linear in the last fifth.
(defn wsd-rate [(: step f64) (: steps f64) (: peak f64) (: final f64)] -> f64
  (+ peak (* (max 0.0 (- 1.0 (/ (- steps step) (* 0.2 steps)))) (- final peak))))
(defn rate-of [(: kind i64) (: step i64) (: steps i64) (: warmup i64) (: peak f64) (: final f64)] -> f64
  "Kinds: 0 constant, 1 linear, 2 cosine, 3 WSD."
  (def [at all] [(cast f64 (- step warmup)) (cast f64 (max (: 1 i64) (- steps warmup)))])
  (cond {:result f64}
    (< step warmup) (* peak (/ (cast f64 (+ step (: 1 i64))) (cast f64 (+ warmup (: 1 i64)))))
    (= kind (: 1 i64)) (linear-rate at all peak final)
    (= kind (: 2 i64)) (cosine-rate at all peak final)
    (= kind (: 3 i64)) (wsd-rate at all peak final)
    :else peak))

;; Puts the numbers of step t = 1, 2, ... where `adamw` reads them.
(defn set-rates! [(: rates memref<3xf32>) (: host memref<3xf32>) (: rate f64) (: t i64) (: adam Adam)]
  (def [beta1 beta2] [(pow (cast f64 (:beta1 adam)) (cast f64 t)) (pow (cast f64 (:beta2 adam)) (cast f64 t))])
  (memref.store (cast f32 rate) host 0)
  (memref.store (cast f32 (/ 1.0 (- 1.0 beta1))) host 1)
  (memref.store (cast f32 (/ 1.0 (- 1.0 beta2))) host 2)
  (upload! rates host))
