; A record with other values of some fields, also of records in it: the old record stays as it is, and gradients flow to
; both. A new value has the type and the sizes of the one before.
; RUN: split-file %s %t
; RUN: lispier run %t/values.lisp | FileCheck %t/values.lisp
; RUN: not lispier check %t/wrong.lisp 2>&1 | FileCheck %t/wrong.lisp
; RUN: not lispier run %t/sizes.lisp 2>&1 | FileCheck %t/sizes.lisp
;--- values.lisp
(defrecord Norm [w (tensor c f32)] [b (tensor c f32)])
(defrecord Net [h (list Norm)] [last Norm] [k i32] [s f32])
(defn loss [(: m Net) (: x (tensor c f32))]
  (def n (with m {:last {:w (* 2.0 x)} :s 3.0}))
  (* (:s n) (at (sum (* (:w (:last n)) (:b (:last n)))))))
(defn main []
  (def x (full f32 [3] 1.0))
  (def m (Net {:h (Norm (zeros f32 [2 3]) (zeros f32 [2 3])) :last (Norm x (full f32 [3] 5.0)) :k 7 :s 2.0}))
  ; CHECK: {{^}}90{{$}}
  (println "%g" (loss m x))
  ; CHECK: [30 30 30]
  (println (grad loss m x :wrt 1))
  ; CHECK: [0 0 0]
  ; CHECK: [6 6 6]
  (def d (grad loss m x :wrt [[:last]]))
  (println (:w d)) (println (:b d))
  ; CHECK: {{\[}}[1 1 1]
  ; CHECK: [1 1 1]
  ; CHECK: 7 2
  (def n (with m {:h (Norm (full f32 [2 3] 1.0) (zeros f32 [2 3]))}))
  (println (:w (:h n))) (println (:w (:last m))) (println "%d %g" (:k n) (:s n)))
;--- wrong.lisp
; CHECK: :[[#@LINE+12]]:12: error[record-field]: `Net` has no field `lost`
; CHECK: hint: its fields are last, s; did you mean `last`?
; CHECK: :[[#@LINE+11]]:19: error[record-field]: `Norm` has no field `lost`
; CHECK: :[[#@LINE+11]]:18: error[record-field]: `last` is a Norm, and not f32 [?]
; CHECK: :[[#@LINE+11]]:22: error[record-field]: `w` is f32 [?], and not i32 [?]
; CHECK: :[[#@LINE+11]]:11: error[record-field]: `with` names fields and their values
; CHECK: hint: write (with record {:field value ...})
; CHECK: :[[#@LINE+10]]:9: error[record-field]: `with` takes a record, and not f32 [?]
; CHECK: :[[#@LINE+10]]:61: error[record-field]: `w` is f32 [3], and not f32 [4]
(defrecord Norm [w (tensor c f32)] [b (tensor c f32)])
(defrecord Net [last Norm] [s f32])
(defn f [(: m Net) (: x (tensor c f32)) (: k (tensor c i32))]
  (with m {:lost x})
  (with m {:last {:lost x}})
  (with m {:last x})
  (with m {:last {:w k}})
  (with m x)
  (with x {:s 1.0}))
(defn g [] (with (Norm (zeros f32 [3]) (zeros f32 [3])) {:w (zeros f32 [4])}))
;--- sizes.lisp
; CHECK: :[[#@LINE+5]]:28: error[tensor-size]: dimension 0 of `w` has the size 3, and that of the one before 2
(defrecord Norm [w (tensor c f32)] [b (tensor c f32)])
(defn main [(: count i64) (: words !llvm.ptr)]
  (def n (+ 2 (cast index count)))
  (def m (Norm (full f32 [n] 1.0) (full f32 [n] 1.0)))
  (println (:w (with m {:w (full f32 [(+ n 1)] 1.0)}))))
