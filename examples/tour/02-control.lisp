; 2. Control flow.                   RUN: lispier run %s | FileCheck %s
;
; Control flow is structured: each form is an scf op with regions and has a value.

(defn sign [(: x i64)] -> i32
  (cond (< x 0) (: -1 i32)
        (> x 0) (: 1 i32)
        :else   (: 0 i32)))

; `loop` carries values while a condition holds (scf.while).
(defn next-power-of-two [(: n i64)] -> i64
  (loop [v (: 1 i64)] :while (< v n) :do (* v 2)))

; `fold` is a counted loop that carries values (scf.for with iter_args).
(defn sum-of-squares [(: n i64)] -> i64
  (fold [sum (: 0 i64)] [i 0 n]
    (def x (cast i64 i))
    (+ sum (* x x))))

(defn main []
  (println "%d %d %d" (sign -5) (sign 0) (sign 12))     ; CHECK: -1 0 1
  (println "%ld" (next-power-of-two 100))               ; CHECK: 128
  (println "%ld" (sum-of-squares 10))                   ; CHECK: 285
  (for [i 0 3]                                          ; a loop for its effects; i is an index
    (when (!= i 1)
      (println "step %ld" (cast i64 i))))               ; CHECK: step 0
                                                        ; CHECK-NEXT: step 2
  ; Several carried values: Fibonacci.
  (def [a b] (fold [a (: 0 i64) b (: 1 i64)] [i 0 20]
               [b (+ a b)]))
  (println "%ld" a)                                     ; CHECK: 6765
  (if (and (> a 6000) (or (= b 1) (< a b)))
    (println "yes")                                     ; CHECK: yes
    (println "no")))
