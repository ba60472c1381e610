; What check-gradients is made of.

(defn gradient-direction
  "A direction along which check-gradients moves x: a number of its own for each, and the gradient over its root mean
  square."
  [x gradient]
  (+ (sin (+ 1.0 (* 37.0 x))) (/ gradient (+ 1e-30 (sqrt (mean (* gradient gradient)))))))
