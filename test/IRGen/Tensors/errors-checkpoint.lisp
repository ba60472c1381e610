; Tables of load-checkpoint that do not fit the record.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Model [h (list Linear)] [scale f32] [ids (tensor n i32)])
(defrecord Nested [m (list Linear)])
(defrecord Lists [m (list Nested)])
(defn loads []
  ; CHECK: :[[#@LINE+2]]:20: error[type-parse]: there is no record `Linaer`
  ; CHECK: hint: did you mean `Linear`?
  (load-checkpoint Linaer "model" {})
  ; CHECK: :[[#@LINE+2]]:35: error[record-field]: the field `bias` of `Linear` is missing
  ; CHECK: :46: note: the field is declared here
  (load-checkpoint Linear "model" {:weight "w"})
  ; CHECK: :[[#@LINE+3]]:58: error[record-field]: `Linear` has no field `bais`
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: its fields are weight, bias; did you mean `bias`?
  (load-checkpoint Linear "model" {:weight "w" :bias "b" :bais "c"})
  ; CHECK: :[[#@LINE+6]]:44: error[record-field]: the field `weight` is a tensor, which the table gives its name in the files, not 3
  ; CHECK: :19: note: the field is declared here
  ; CHECK: hint: write "name" or ["name" "other" ... :transposed :optional :split d :over axis], with {} for the number of a layer
  ; CHECK: :[[#@LINE+3]]:52: error[record-field]: the field `bias` is a tensor, which the table gives its name in the files, not ["b" c]
  ; CHECK: :46: note: the field is declared here
  ; CHECK: hint: write "name" or ["name" "other" ... :transposed :optional :split d :over axis], with {} for the number of a layer
  (load-checkpoint Linear "model" {:weight 3 :bias ["b" c]})
  ; CHECK: :[[#@LINE+2]]:27: error[type-mismatch]: `load-checkpoint` takes a path, not i64
  ; CHECK: hint: a path is a text in quotes, or a pointer to one
  (load-checkpoint Linear 3 {:weight "w" :bias "b"})
  ; CHECK: :[[#@LINE+3]]:38: error[record-field]: the parts of `Linear` are a map {:field "name" ...}, not "h"
  ; CHECK: :[[#@LINE+2]]:58: error[record-field]: `load-checkpoint` reads tensors of f32 and bf16, not of i32
  ; CHECK: :48: note: the field is declared here
  (load-checkpoint Model "model" {:h "h" :scale 1.0 :ids "i"})
  ; CHECK: :[[#@LINE+4]]:73: error[parse-head]: a string is not a value here
  ; CHECK: hint: (cstring "text") is a pointer to a text
  ; CHECK: :[[#@LINE+2]]:82: error[record-field]: `load-checkpoint` reads tensors of f32 and bf16, not of i32
  ; CHECK: :48: note: the field is declared here
  (load-checkpoint Model "model" {:h {:weight "w{}" :bias "b{}"} :scale "s" :ids "i"})
  ; CHECK: :[[#@LINE+4]]:51: error[record-field]: `load-checkpoint` reads lists, and no lists of lists
  ; CHECK: :19: note: the field is declared here
  ; CHECK: :[[#@LINE+2]]:61: error[record-field]: `load-checkpoint` reads lists, and no lists of lists
  ; CHECK: :46: note: the field is declared here
  (load-checkpoint Lists "model" {:m {:m {:weight "w" :bias "b"}}}))
