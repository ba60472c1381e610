(defn nothing [(: args !llvm.ptr)] -> !llvm.ptr (null-ptr))
(defmacro nothing)
(defn main [] -> i64 (+i 1 (nothing)))
