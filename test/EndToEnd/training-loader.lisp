; Steps of a data set in llm.c's order, from a place on, and of a text.
; RUN: rm -rf %t && mkdir %t
; RUN: %{python} %S/Inputs/make-shards.py %t
; RUN: lispier run %s '%t/train_*.bin' %t/story.txt %lispier-source/examples/gpt2/mini | FileCheck %s
; RUN: not lispier run %s '%t/none_*.bin' %t/story.txt %lispier-source/examples/gpt2/mini 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: error: {{.*}}none_*.bin: no such file; no name matches
; RUN: not lispier run %s '%t/large.bin' %t/story.txt %lispier-source/examples/gpt2/mini 2>&1 | FileCheck %s --check-prefix=LARGE
; LARGE: error: {{.*}}large.bin: token 2, at byte 1028, is 8192, but the vocabulary has 8192
(require-dialect llvm)
(require ["../../examples/training/loader.lisp" :as loader] ["../../examples/gpt2/weights.lisp" :as weights])

(defn show-rows [(: rows memref<?x?xi32>)] (println (load rows)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def data (loader/open (ptr-load !llvm.ptr argv) (: 8192 i64)))
  (println "%ld %ld" (loader/count-tokens data) (loader/count-steps data 2 3))  ; CHECK: {{^}}40 6
  ; CHECK-NEXT: i32 [2 4]
  ; CHECK-NEXT: {{^\[\[0 1 2 3\]$}}
  ; CHECK-NEXT: {{^ \[3 4 5 6\]\]$}}
  (show-rows (loader/next data 2 3))
  ; CHECK-NEXT: i32 [2 4]
  ; CHECK-NEXT: {{^\[\[6 7 8 9\]$}}
  (show-rows (loader/next data 2 3))
  (println "%ld" (loader/position data))                               ; CHECK: {{^12$}}
  ; From a place on: the second shard's first step.
  (loader/seek! data (: 18 i64))
  ; CHECK: {{^\[\[100 101 102 103\]$}}
  (show-rows (loader/next data 2 3))
  (loader/shuffle! data (: 5 i64))
  ; CHECK: i1 [] true
  (def rows (load (loader/next data 2 3)))
  (println (all (= (slice rows :axis 1 :from 1) (+ 1 (slice rows :axis 1 :to 3)))))
  ; A text, encoded once.
  (def host (weights/open-weights (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 16))))
  (def tokenizer (weights/open-tokenizer host (null-ptr)))
  (for [i 0 2]
    (def story (loader/open-text (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 8)) tokenizer (: 8192 i64)))
    ; CHECK: i32 [1 5]
    ; CHECK: i32 [1 5]
    (show-rows (loader/next story 1 4))))
