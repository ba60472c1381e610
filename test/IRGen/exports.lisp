; What callers must know of an exported function, of which its type keeps little.
; RUN: lispier --emit=module %s | FileCheck %s
(defrecord Linear [weight (tensor n k f32)] [bias (tensor n f32)])
(defn scaled "Doc string." [(: x (tensor n 3 f32)) (: a f64)] (* x (cast f32 a)))
; CHECK: func.func @scaled({{.*}}group.entry = {doc = "Doc string.", name = "scaled", parameters = [{name = "x", sizes = ["n", 3], type = f32}, {name = "a", type = f64}], place = "{{.*}}exports.lisp:[[#@LINE-1]]:1", results = [{name = "result", {{.*}}type = f32}]}

; Sizes of one name are equal in one record only, so their names have the record's path; those of a list of records have
; the list's size first.
(defn layers [(: layers (list Linear)) (: out (inout (tensor n f32)))] (update out (* 2.0 out) [0]))
; CHECK: func.func @layers({{.*}}parameters = [{fields = [{name = "weight", sizes = ["_", "layers.n", "layers.k"], type = f32}, {name = "bias", sizes = ["_", "layers.n"], type = f32}], name = "layers", record = "Linear"}, {name = "out", sizes = ["n"], type = f32, written}]

; A function of the program with a name of the library.
(defn norm [(: x (tensor n f32))] (* x x))
; CHECK: func.func @norm({{.*}}name = "norm", parameters = [{name = "x", sizes = ["n"], type = f32}]

; Instances of generic functions, of the program and of the library, are functions of their own.
(defn twice "Twice." [x] (* 2 x))
(export scaled layers norm (twice (tensor n i32) :as twice-i32) (softmax (tensor n f32) :axis 0))
; CHECK: func.func @"export/twice-i32"({{.*}}doc = "Twice.", name = "twice-i32", parameters = [{name = "x", sizes = ["n"], type = i32}]
; CHECK: func.func @"export/softmax"({{.*}}name = "softmax"
