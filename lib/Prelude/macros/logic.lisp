; Conditions. The text after a macro's name is the shape that messages show.

(defmacro when "(when condition body ...)" [condition first-form & body]
  `(if ~condition (do ~first-form ~@body)))

; The innermost clause is built first, so that a long cond is no deep recursion.
(defmacro cond "(cond {:result type}? condition value ... :else value)" [& clauses]
  (let [typed (and (not (empty? clauses)) (map? (first clauses)))
        attributes (if typed (list (first clauses)) nil)
        pairs (if typed (rest clauses) clauses)
        n (count pairs)]
    (if (or (< n 2) (= (mod n 2) 1))
      (error "every condition needs a value, and :else comes last")
      nil)
    (if (= (nth pairs (- n 2)) :else)
      nil
      (error "the last clause must be :else with a value" (nth pairs (- n 2))))
    (reduce (fn [rest i]
              (if (= (nth pairs i) :else)
                (error ":else comes last" (nth pairs i))
                `(if ~@attributes ~(nth pairs i) ~(nth pairs (+ i 1)) ~rest)))
            (nth pairs (- n 1))
            (range (- n 4) -1 -2))))
