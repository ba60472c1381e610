(defn id [(: x i64)] -> i64 x)
(extern-fn abs (-> [i32] [i32]))
