; Records of tensors: fields, construction and calls that do not fit.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])
(defrecord Block [norm (tensor c f32)] [up Linear])
(defrecord Model [h (list Block)] [scale f32] [head Linear])
(defn fields [(: f Linear) (: x (tensor 3 f32)) (: m Model)]
  ; CHECK: :[[#@LINE+3]]:4: error[record-field]: `Linear` has no field `wieght`
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: its fields are weight, bias; did you mean `weight`?
  (:wieght f)
  ; CHECK: :[[#@LINE+1]]:12: error[record-field]: `:weight` reads a field of a record, and this is f32 [3]
  (:weight x)
  ; CHECK: :[[#@LINE+1]]:3: error[macro-arity]: a field is read as (:weight record)
  (:weight f f)
  ; CHECK: :[[#@LINE+3]]:4: error[record-field]: `Linear` has no field `up`
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: its fields are weight, bias
  (:up (:head m)))
(defn makes [(: w (tensor 4 3 f32)) (: b (tensor 5 f32)) (: h (tensor 4 f16)) (: f Linear)]
  ; CHECK: :[[#@LINE+4]]:13: error[record-size]: `Linear`: `n` is 4 in `weight`, f32 [4 3], and 5 in `bias`, f32 [5]
  ; CHECK: :11: note: this field is f32 [4 3]
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: sizes of one name are equal in a record
  (Linear w b)
  ; CHECK: :[[#@LINE+2]]:13: error[record-field]: `bias` of `Linear` is f32 [?], and not f16 [4]
  ; CHECK: :45: note: the field is declared here
  (Linear w h)
  ; CHECK: :[[#@LINE+2]]:3: error[record-field]: `bias` of `Linear` is missing
  ; CHECK: :1: note: `Linear` is defined here
  (Linear {:weight w})
  ; CHECK: :[[#@LINE+3]]:22: error[record-field]: `Linear` has no field `bais`
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: its fields are weight, bias; did you mean `bias`?
  (Linear {:weight w :bais b})
  ; CHECK: :[[#@LINE+3]]:3: error[record-field]: `Linear` has 2 fields, not 1
  ; CHECK: :1: note: `Linear` is defined here
  ; CHECK: hint: write (Linear value ...) or (Linear {:field value ...})
  (Linear w)
  ; CHECK: :[[#@LINE+2]]:11: error[record-field]: `weight` of `Linear` is f32 [? ?], and not f32 [5]
  ; CHECK: :19: note: the field is declared here
  (Linear b b)
  ; CHECK: :[[#@LINE+2]]:29: error[record-field]: `up` of `Block` is a Linear, and not f32 [4 3]
  ; CHECK: :40: note: the field is declared here
  (Block (full f32 [2] 1.0) w)
  ; CHECK: :[[#@LINE+2]]:29: error[record-field]: `up` of `Block` is a Linear, and not a Block
  ; CHECK: :40: note: the field is declared here
  (Block (full f32 [2] 1.0) (Block (full f32 [2] 1.0) f))
  ; CHECK: :[[#@LINE+2]]:11: error[record-field]: an element of `h` is Block, and not a Linear
  ; CHECK: :18: note: the field is declared here
  (Model [f] 0.5 f)
  ; CHECK: :[[#@LINE+1]]:10: error[record-field]: a list has at least one record
  (Model [] 0.5 f)
  ; CHECK: :[[#@LINE+2]]:10: error[record-field]: `h` of `Model` is a list of Block, and not a Block
  ; CHECK: :18: note: the field is declared here
  (Model (Block (full f32 [2] 1.0) f) 0.5 f))
(defn apply [(: f Linear) (: x (tensor t k f32))] (einsum "tk,nk->tn" x (:weight f)))
(defn calls [(: f Linear) (: x (tensor 2 3 f32)) (: b Block)]
  ; CHECK: :[[#@LINE+2]]:10: error[call-type]: argument 1 of `apply` has type f32 [2 3], not a Linear
  ; CHECK: :17: note: the type of `f` is given here
  (apply x f)
  ; CHECK: :[[#@LINE+2]]:10: error[call-type]: argument 1 of `apply` has type a Block, not a Linear
  ; CHECK: :17: note: the type of `f` is given here
  (apply b x)
  ; CHECK: :[[#@LINE+2]]:3: error[call-arity]: `apply` takes 2 arguments, not 1
  ; CHECK: :1: note: `apply` is defined here
  (apply (Linear (zeros f32 [4 3]) (zeros f32 [4])))
  ; CHECK: :[[#@LINE+2]]:6: error[type-mismatch]: `+` takes numbers and tensors, and this is a Linear
  ; CHECK: hint: (:field record) reads a field
  (+ f 1.0))
