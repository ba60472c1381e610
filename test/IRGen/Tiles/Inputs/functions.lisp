; A file that test/IRGen/Tiles/yields.lisp requires.
(defn sum [(: a i64) (: b i64)] -> i64 (+ a b))
(defn load [(: a i64)] -> i64 a)
