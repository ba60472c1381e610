; What the forms give: several results, records, numbers, fields, accumulation, gradients of gradients and in loops; NaN
; and ties as documented.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(defrecord Layer [w (tensor n m f32)] [b (tensor m f32)] [eps f32] [ids (tensor n i32)])
(defn forward [(: p Layer) (: x (tensor k n f32))]
  (def y (+ (einsum "kn,nm->km" x (:w p)) (:b p)))
  [(sum (* y y)) y])
(defn make [] -> Layer (Layer (full f32 [2 2] 0.5) (full f32 [2] 1.0) (: 0.25 f32) (iota i32 [2])))
(defn accumulate [(: d (inout (tensor 2 2 f32))) (: p Layer) (: x (tensor k 2 f32))]
  (def [l _] (value-and-grad forward p x :wrt [[0 :w]] :into d))
  l)
(defn cube [x] (sum (* x x x)))
(defn slope [x] (sum (grad cube x)))
(defn number [(: a f32) (: x (tensor n f32))] (sum (* a a x)))
(defn guarded [x] (sum (where (> x 0.0) (log x) (* 0.0 x))))
(defn greatest [x] (max x))
(defn scaled [x & {:by 1.0}] (sum (* by x x)))
(defn train [(: w (tensor 2 f32))] (fold [v w] [i 0 3] (- v (* 0.1 (grad scaled v :by 2.0)))))
(defn half [(: x (tensor 2 bf16))] (sum (* x x)))

(defn main []
  (def p (make))
  (def x (+ 1.0 (iota f32 [1 2] :axis 1)))
  ; y = [2.5 2.5], so that db = 2 y = 5, dw = x' 2 y
  (def [l y d] (value-and-grad forward p x))
  ; CHECK: f32 [] 12.5
  (println l)
  ; CHECK: f32 [1 2]
  ; CHECK-NEXT: {{\[}}[2.5 2.5]]
  (println y)
  ; CHECK: f32 [2 2]
  ; CHECK-NEXT: {{\[}}[5 5]
  ; CHECK-NEXT: [10 10]]
  (println (:w d))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [5 5]
  (println (:b d))
  ; CHECK: 0 i32 [2]
  ; CHECK-NEXT: [0 0]
  (print "%g " (:eps d)) (println (:ids d))
  ; CHECK: f32 [1 2]
  ; CHECK-NEXT: {{\[}}[5 5]]
  (println (grad forward p x :wrt 1))
  (def [_ _ db dx] (value-and-grad forward p x :wrt [[:b] 1]))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [5 5]
  (println db)
  ; CHECK: f32 [1 2]
  ; CHECK-NEXT: {{\[}}[5 5]]
  (println dx)
  ; CHECK: f32 [2 2]
  ; CHECK-NEXT: {{\[}}[11 11]
  ; CHECK-NEXT: [21 21]]
  (let [sum (full f32 [2 2] 1.0)]
    (accumulate sum p x)
    (accumulate sum p x)
    (println sum))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [6 6]
  (println (grad slope (full f32 [2] 1.0)))
  ; CHECK: 12
  (println "%g" (grad number (: 2.0 f32) (full f32 [3] 1.0)))
  ; The log of what `where` leaves out is no NaN in the gradient.
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [0 1 0.5]
  (println (grad guarded (iota f32 [3])))
  ; Equal maxima share.
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [0 0.5 0.5]
  (println (grad greatest (min (iota f32 [3]) 1.0)))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [0.216 0.216]
  (println (train (full f32 [2] 1.0)))
  ; CHECK: bf16 [2]
  ; CHECK-NEXT: [3 3]
  (println (grad half (full bf16 [2] 1.5)))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [2 4]
  (println (let [[_ dx] (vjp square (full f32 [2] 1.0) :seed (+ 1.0 (iota f32 [2])))] dx))
  ; A further result may be what a loop carries, of which the gradient keeps more.
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [4 4]
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [12 12]
  (let [[_ z d] (value-and-grad squared (full f32 [2] 2.0))] (println z) (println d))
  ; A function of the library is named like one of the program: dw = dy^T x.
  ; CHECK: f32 [1 2]
  ; CHECK-NEXT: {{\[}}[12 18]]
  (println (let [[_ dw] (vjp linear (reshape (iota f32 [6]) [3 2]) (full f32 [1 2] 0.5) (zeros f32 [1])
                             :seed (full f32 [3 1] 2.0) :wrt [1])]
             dw))
  ; b and a constant of its numbers: the gradient of one factor.
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [1 1]
  (println (:b (grad stopped p x)))
  ; Beside differences: right, by two arguments and with a constant of the function, and wrong by a half.
  ; CHECK: {{[0-9.]*}}e-0{{[6-9]}}
  ; CHECK-NEXT: {{[0-9.]*}}e-0{{[6-9]}}
  ; CHECK-NEXT: 5.0e-01
  (def [u v] [(sin (iota f64 [5])) (cos (iota f64 [5]))])
  (println "%.1e" (check-gradients waves u v))
  (println "%.1e" (check-gradients waves u v :wrt [0 1] :by 2.0))
  (println "%.1e" (check-gradients half-stopped (iota f64 [3]))))
(defn waves [x y & {:by 1.0}] (sum (* by (tanh x) (sin y))))
(defn half-stopped [x] (sum (* x (stop-gradient x))))
(defn square [x] (* x x))
(defn squared [x] (let [z (fold [z x] [i 0 1] (* z x))] [(sum (* z x)) z]))
(defn stopped [(: p Layer) (: x (tensor k n f32))]
  (def fixed (stop-gradient p))
  (sum (* (:b p) (:b fixed) (stop-gradient (at (:b p) 0)))))
