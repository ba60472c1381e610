; A model that a training program saves is one that gpt2.lisp opens: the same text as of the files that it was read from.
; RUN: rm -rf %t && lispier run %s %t %lispier-source/examples/gpt2/mini
; RUN: lispier run %lispier-source/examples/gpt2/gpt2.lisp -- --prompt "Once upon a time" --tokens 8 > %t/given
; RUN: lispier run %lispier-source/examples/gpt2/gpt2.lisp -- --model %t/latest --prompt "Once upon a time" --tokens 8 | cmp %t/given -
(require-dialect llvm)
(require ["../../examples/training/checkpoint.lisp" :as checkpoint])

(defrecord Layer [g1 (tensor c bf16)] [b1 (tensor c bf16)] [wq (tensor c e bf16)] [bq (tensor e bf16)]
                 [wo (tensor c c bf16)] [bo (tensor c bf16)] [g2 (tensor c bf16)] [b2 (tensor c bf16)]
                 [wu (tensor c f bf16)] [bu (tensor f bf16)] [wd (tensor f c bf16)] [bd (tensor c bf16)])
(defrecord Model [wte (tensor v c bf16)] [wpe (tensor p c bf16)] [h (list Layer)] [gf (tensor c bf16)] [bf (tensor c bf16)])

(defmacro put-each [saver layers & pairs]
  `(do ~@(map (fn [i] `(checkpoint/put-layers-bf16 ~saver (cstring ~(str "transformer.h.%ld." (nth pairs (+ 1 (* 2 i)))))
                                                   (~(nth pairs (* 2 i)) ~layers)))
              (range (/ (count pairs) 2)))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def mini (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 8)))
  (def m (load-checkpoint Model mini
           {:wte "transformer.wte.weight" :wpe "transformer.wpe.weight"
            :gf "transformer.ln_f.weight" :bf "transformer.ln_f.bias"
            :h {:g1 "transformer.h.{}.ln_1.weight" :b1 "transformer.h.{}.ln_1.bias"
                :wq "transformer.h.{}.attn.c_attn.weight" :bq "transformer.h.{}.attn.c_attn.bias"
                :wo "transformer.h.{}.attn.c_proj.weight" :bo "transformer.h.{}.attn.c_proj.bias"
                :g2 "transformer.h.{}.ln_2.weight" :b2 "transformer.h.{}.ln_2.bias"
                :wu "transformer.h.{}.mlp.c_fc.weight" :bu "transformer.h.{}.mlp.c_fc.bias"
                :wd "transformer.h.{}.mlp.c_proj.weight" :bd "transformer.h.{}.mlp.c_proj.bias"}}))
  (def s (checkpoint/begin-step (ptr-load !llvm.ptr argv) (: 1 i64)))
  (checkpoint/put-bf16 s (cstring "transformer.wte.weight") (:wte m))
  (checkpoint/put-bf16 s (cstring "transformer.wpe.weight") (:wpe m))
  (checkpoint/put-bf16 s (cstring "transformer.ln_f.weight") (:gf m))
  (checkpoint/put-bf16 s (cstring "transformer.ln_f.bias") (:bf m))
  (put-each s (:h m) :g1 "ln_1.weight" :b1 "ln_1.bias" :wq "attn.c_attn.weight" :bq "attn.c_attn.bias"
                     :wo "attn.c_proj.weight" :bo "attn.c_proj.bias" :g2 "ln_2.weight" :b2 "ln_2.bias"
                     :wu "mlp.c_fc.weight" :bu "mlp.c_fc.bias" :wd "mlp.c_proj.weight" :bd "mlp.c_proj.bias")
  (checkpoint/write-file s (cstring "model.safetensors"))
  (checkpoint/copy-description s mini)
  (def wrong (checkpoint/commit s (: 3 i64)))
  (if (null? wrong) (do) (println "%s" wrong)))
