; What 06-modules.lisp requires.
(defn area [(: width f64) (: height f64)] -> f64
  (* width height))

(defmacro hypotenuse-squared [a b]
  `(let [a# (: ~a f64) b# (: ~b f64)] (+ (* a# a#) (* b# b#))))
