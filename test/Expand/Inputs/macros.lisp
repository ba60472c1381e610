(require-dialect arith)
(require ["lib/base.lisp" :as base])
(defmacro square [x] `(let [v# ~x] (arith.muli v# (base/id v#))))
(defn not-taken [] 1)
