; Two fields of a record that are one tensor of the files, and one that is another.
(require-dialect llvm)
(defrecord Model [table (tensor v c bf16)] [again (tensor v c bf16)] [positions (tensor p c bf16)])
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (load-checkpoint Model (ptr-load !llvm.ptr argv)
           {:table "transformer.wte.weight" :again ["lm_head.weight" "transformer.wte.weight"]
            :positions "transformer.wpe.weight"}))
  (println "%ld %ld %ld" (:v m) (:p m) (:c m)))
