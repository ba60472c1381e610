; RUN: lispier show-expanded %s | FileCheck %s --match-full-lines
; The macro-time language: every function once. What is in an attribute map is not expanded.

(require-dialect arith)
(defmacro show [& body] `(arith.constant {:value ~body}))
(defmacro sequences []
  `(show ~(first [1 2]) ~(last [1 2]) ~(rest [1 2 3]) ~(nth [1 2] 1) ~(nth [1] 5 :none) ~(count [1 2]) ~(count "abc") ~(count {:a 1})
         ~(empty? []) ~(empty? nil) ~(cons 1 [2]) ~(concat [1] nil (list 2 3)) ~(list 1 2) ~(vector 1 2) ~(vec (list 1))
         ~(reverse [1 2 3]) ~(take 2 [1 2 3]) ~(drop 2 [1 2 3])))
; CHECK: (defn a [] (arith.constant {:value (1 2 (2 3) 2 :none 2 3 1 true true (1 2) (1 2 3) (1 2) [1 2] [1] (3 2 1) (1 2) (3))}))
(defn a [] (sequences))

(defmacro max2 [a b] `(if (< ~a ~b) ~b ~a))
; CHECK-NEXT: (defn b [] (arith.constant {:value ((1 4 9) (11 22) (1 2) 6 3 (0 1 2) (1 2) (3 2 1) 6 120)}))
(defmacro functions []
  `(show ~(map (fn [x] (* x x)) [1 2 3]) ~(map + [1 2] [10 20 30]) ~(filter number? [1 :a 2]) ~(reduce + 0 [1 2 3]) ~(max2 (+ 1 2) 1)
         ~(range 3) ~(range 1 3) ~(range 3 0 -1) ~(apply + 1 [2 3]) ~((fn f [n] (if (= n 0) 1 (* n (f (- n 1))))) 5)))
(defn b [] (functions))

; Integers are exact, as long as they have 64 bits.
(defmacro numbers []
  `(show ~(+ 9007199254740993 1) ~(- 5) ~(- 5 2 1) ~(* 2 0.5) ~(/ 6 3) ~(/ 1 4) ~(mod -1 5) ~(+ 0x10 1) ~(< 1 2 3) ~(>= 2 2 1) ~(= 1 1.0) ~(not nil)))
; CHECK-NEXT: (defn c [] (arith.constant {:value (9007199254740994 -5 2 1.0 2 0.25 4 17 true true true true)}))
(defn c [] (numbers))

; Division without a rest, rounded down as mod is; arrays of names, and what is in them.
(defmacro arrays []
  `(show ~(quotient 7 2) ~(quotient -7 2) ~(quotient 7 -1) ~(+ (* 3 (quotient -7 3)) (mod -7 3)) ~(name-array "x" 2) ~(name-array "s" 2 2)
         ~(array-at (name-array "s" 2 2) 1 0) ~(array-at [[1 2] [3 4]] 0 1)))
; CHECK-NEXT: (defn c2 [] (arith.constant {:value (3 -4 -7 -7 [x0 x1] {{\[\[}}s0-0 s0-1] [s1-0 s1-1]] s1-0 2)}))
(defn c2 [] (arrays))

(defmacro names []
  `(show ~(str "a" :b (quote c) 1) ~(symbol "x" 1) ~(keyword "k") ~(name :k) ~(get {:a 1} :a) ~(get {:a 1} :b 2) ~(assoc {:a 1} :b 2)
         ~(merge {:a 1} {:a 2 :c 3}) ~(keys {:a 1}) ~(vals {:a 1})))
; CHECK-NEXT: (defn d [] (arith.constant {:value ("abc1" x1 :k "k" 1 2 {:a 1 :b 2} {:a 2 :c 3} (:a) (1))}))
(defn d [] (names))

(defmacro kinds [x] `(show ~(list? x) ~(vector? x) ~(map? x) ~(symbol? x) ~(keyword? x) ~(string? x) ~(number? x) ~(bool? x) ~(nil? x)))
; CHECK-NEXT: (defn e [] (arith.constant {:value (true false false false false false false false false)}) (arith.constant {:value (false false false true false false false false false)}))
(defn e [] (kinds (1)) (kinds s))

; and, or, cond, let with patterns, and a pattern among the parameters.
(defmacro control [[a b] & rest]
  (let [[c & more] rest
        sum (and (number? a) (+ a b))]
    (cond (= sum 3) `(show ~sum ~c ~more ~(or nil false 7)) :else (error "never"))))
; CHECK-NEXT: (defn f [] (arith.constant {:value (3 x (y z) 7)}))
(defn f [] (control [1 2] x y z))
