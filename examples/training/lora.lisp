;;; lora.lisp - trains a part of a model: LoRA (Hu et al. 2021) of the bundled GPT-2.
;;;
;;;     lispier run examples/training/lora.lisp -- book.txt   ; sonnets without a text
;;;
;;; RUN: rm -rf %t && mkdir %t && cp %S/sonnets.txt %t && lispier run %s -- %t/sonnets.txt | FileCheck %s
;;; CHECK: epoch 1 | loss 4.{{[2-4]}}
;;; CHECK: epoch 4 | loss 3.
;;;
;;; Each layer's weights of queries, keys and values get a product of two narrow matrices, b a, which are all that is
;;; trained: 65 thousand of 8.5 million numbers. The model stays as it is.

(require-dialect memref)
(require ["../gpt2/options.lisp" :as options] ["../gpt2/model.lisp" :as model]
         ["../gpt2/weights.lisp" :as weights] ["./loader.lisp" :as loader]
         ["./optimizer.lisp" :as optimizer] ["./training.lisp" :as training])
(require-macros "./optimizer.lisp")

(extern-fn lispier_tokenizer_open (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [!llvm.ptr]))

;; One for each layer.
(defrecord Lora [a (tensor r c f32)] [b (tensor n r f32)])

(defn adapted [(: m Gpt2) lora]
  (def [h qkv] [(:h m) (:qkv (:h m))])
  (def weight (+ (cast f32 (:weight qkv)) (einsum "lnr,lrc->lnc" (:b lora) (:a lora))))
  (def all (cast f32 h))
  (Gpt2 f32 {:tokens (cast f32 (:tokens m)) :positions (cast f32 (:positions m)) :norm (cast f32 (:norm m))
             :h (Block f32 {:norm1 (:norm1 all) :qkv (Linear f32 weight (cast f32 (:bias qkv)))
                            :attention (:attention all) :norm2 (:norm2 all) :expand (:expand all)
                            :contract (:contract all)})}))
(defn loss-of [lora (: m Gpt2) (: texts (tensor b u i32))]
  (def t (- u 1))
  (model/loss (adapted m lora) (slice texts [0 0] [b t]) (slice texts [0 1] [b t]) (: 4 index) (: 1e-5 f32)))

;; `norm` becomes that of the gradients, to which they are clipped.
(defn step [(: lora (inout (list Lora))) (: mean (inout (list Lora))) (: square (inout (list Lora)))
            (: norm (inout (tensor 1 f32))) (: rates (tensor 3 f32)) (: adam Adam) (: m Gpt2)
            (: texts (tensor b u i32))]
  (def [loss d] (value-and-grad loss-of lora m texts))
  (adamw-step Lora lora mean square d norm rates adam 1.0 1.0)
  loss)

(defn main [(: count i64) (: words !llvm.ptr)]
  (def host (weights/open-weights (source-path "../gpt2/mini")))
  (def m (:model (model/load-gpt2 host)))
  (def [l n c] [(dim (:weight (:qkv (:h m))) 0) (dim (:weight (:qkv (:h m))) 1) (dim (:tokens m) 1)])
  (def lora (Lora (* 0.02 (normal f32 [l 8 c] :seed 1)) (zeros f32 [l n 8])))
  (def [mean square] [(map-fields Lora zeros-like lora) (map-fields Lora zeros-like lora)])
  (def tokenizer
    (lispier_tokenizer_open (source-path "../gpt2/mini") (weights/token-expression) (cstring "<|endoftext|>")))
  (def text (if (= count (: 0 i64)) (source-path "sonnets.txt") (options/word count words (: 0 i64))))
  (def data (training/open-data text tokenizer (cast i64 (dim (:tokens m) 0))))
  (def norm (zeros f32 [1]))
  (def [texts rates] [(device-alloc memref<?x?xi32> [4 65])
                      (device-alloc memref<3xf32> [])])
  (def host-rates (memref.alloc {:result memref<3xf32>}))
  (def adam (optimizer/usual-adam 0.0))
  (def steps (loader/count-steps data 4 64))
  (for [epoch 0 4]
    (def total
      (fold [total (: 0.0 f64)] [i 0 (cast index steps)]
        (upload! texts (loader/next data 4 64))
        (optimizer/set-rates! rates host-rates 3e-3 (+ 1 (cast i64 i) (* steps (cast i64 epoch))) adam)
        (+ total (cast f64 (at (step lora mean square norm rates adam m texts))))))
    (println "epoch %ld | loss %.4f" (+ 1 epoch) (/ total (cast f64 steps)))))
