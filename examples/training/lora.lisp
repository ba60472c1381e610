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
(require ["../gpt2/options.lisp" :as options] ["../gpt2/model.lisp" :as model] ["../gpt2/weights.lisp" :as weights]
         ["./loader.lisp" :as loader] ["./optimizer.lisp" :as optimizer] ["./training.lisp" :as training])
(require-macros "./optimizer.lisp")

(defrecord Lora [a (tensor r c f32)] [b (tensor n r f32)]) ; One for each layer.
(defrecord Adapted [model Gpt2] [lora (list Lora)])

(defn loss-of [(: m (record Adapted f32)) (: texts (tensor b u i32))]
  (def weight (+ (:weight (:qkv (:h (:model m)))) (einsum "lnr,lrc->lnc" (:b (:lora m)) (:a (:lora m)))))
  (def [inputs targets] [(slice texts :axis 1 :to (- u 1)) (slice texts :axis 1 :from 1)])
  (model/loss (with (:model m) {:h {:qkv {:weight weight}}}) inputs targets (: 4 index) (: 1e-5 f32)))

;; A step of AdamW of what :wrt names.
(defn step [(: m (inout (record Adapted f32))) (: mean (inout (list Lora))) (: square (inout (list Lora)))
            (: norm (inout (tensor 1 f32))) (: rates (tensor 3 f32)) (: adam Adam) (: texts (tensor b u i32))]
  (def [loss d] (value-and-grad loss-of m texts :wrt [[:lora]]))
  (adamw-step Lora (:lora m) mean square d norm rates adam 1.0 1.0)
  loss)

(defn main [(: count i64) (: words !llvm.ptr)]
  (def host (weights/open-weights (source-path "../gpt2/mini")))
  (def model (cast f32 (:model (model/load-gpt2 host))))
  (def [l n c] [(dim (:weight (:qkv (:h model))) 0) (dim (:weight (:qkv (:h model))) 1) (dim (:tokens model) 1)])
  (def m (Adapted f32 model (Lora (* 0.02 (normal f32 [l 8 c] :seed 1)) (zeros f32 [l n 8]))))
  (def [mean square] [(map-fields Lora zeros-like (:lora m)) (map-fields Lora zeros-like (:lora m))])
  (def text (if (= count (: 0 i64)) (source-path "sonnets.txt") (options/word count words (: 0 i64))))
  (def data (training/open-data text (weights/open-tokenizer host (null-ptr)) (cast i64 (dim (:tokens model) 0))))
  (def norm (zeros f32 [1]))
  (def [texts rates] [(device-alloc memref<?x?xi32> [4 65]) (device-alloc memref<3xf32> [])])
  (def host-rates (memref.alloc {:result memref<3xf32>}))
  (def [adam steps] [(optimizer/usual-adam 0.0) (loader/count-steps data 4 64)])
  (for [epoch 0 4]
    (def total
      (fold [total (: 0.0 f64)] [i 0 (cast index steps)]
        (upload! texts (loader/next data 4 64))
        (optimizer/set-rates! rates host-rates 3e-3 (+ 1 (cast i64 i) (* steps (cast i64 epoch))) adam)
        (+ total (cast f64 (at (step m mean square norm rates adam texts))))))
    (println "epoch %ld | loss %.4f" (+ 1 epoch) (/ total (cast f64 steps)))))
