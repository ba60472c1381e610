; Functions of random numbers, whose seed and stream are no constants and of another type than the rest.

(defmacro dropout "(dropout x :p 0.5 :seed s :stream n)" [x & options]
  (let [keys (filter keyword? options)
        place (fn [key] (filter (fn [i] (= (nth options i) key)) (range (count options))))
        given? (fn [key] (not (empty? (place key))))
        get (fn [key] (nth options (+ 1 (first (place key)))))]
    (if (and (given? :seed) (= (count options) (* 2 (count keys)))
             (empty? (filter (fn [k] (not (or (= k :p) (= k :seed) (= k :stream)))) keys)))
      `(let [x# ~x
             p# ~(if (given? :p) (get :p) 0.5)]
         (where (< (uniform f32 x# :seed ~(get :seed) :stream ~(if (given? :stream) (get :stream) 0)) p#)
                0 (/ x# (- 1.0 p#))))
      (error "0 with probability :p, else x / (1 - p): (dropout x :p 0.5 :seed s :stream n)" x))))
