; Elementwise functions of tensors, tiles, vectors and numbers.

(defn relu "max(x, 0)." [x] (max x 0))

(defn silu "x / (1 + exp(-x)), also called swish. Elfwing, Uchibe, Doya 2017." [x] (* x (sigmoid x)))

(defn gelu
  "x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation of GPT-2. Hendrycks, Gimpel 2016."
  [x]
  (* 0.5 x (+ 1.0 (tanh (* 0.7978845608028654 (+ x (* 0.044715 x x x)))))))

(defn gelu-erf "x/2 (1 + erf(x / sqrt(2))), 0 for -inf. Hendrycks, Gimpel 2016." [x]
  (* 0.5 (max x -40.0) (+ 1.0 (erf (* 0.7071067811865476 x))))) ; From -40 down 1 + erf is 0 in every type.

(defn softplus "log(1 + exp(x)), exact for every x. Dugas et al. 2001." [x] (+ (max x 0) (log1p (exp (- (abs x))))))

(defn clip "x between low and high: low where it is below, high where it is above; a NaN stays. Its gradient is 1 at the
  limits." [x low high]
  (let [y (where (< x low) low x)]
    (where (> y high) high y)))

(defn sign "1 where x is above 0, -1 where it is below, else 0; a NaN stays." [x]
  (where (> x 0) 1 (where (< x 0) -1 (* 0 x))))
