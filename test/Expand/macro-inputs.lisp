; Macros may read the options that a program is compiled to run with, and JSON files.
; RUN: split-file %s %t
; RUN: cd %t && lispier show-expanded main.lisp -- --chat --model a --prompt --model --model folder | FileCheck %s --check-prefix=GIVEN --match-full-lines
; RUN: cd %t && lispier show-expanded main.lisp | FileCheck %s --check-prefix=NONE --match-full-lines
; RUN: not lispier show-expanded %t/wrong.lisp 2>&1 | FileCheck %s --check-prefix=WRONG

; The last value counts, and what is the value of another option is no option. A flag has no value.
; GIVEN: (defn model [] (arith.constant {:value ("folder" nil)}))
; NONE: (defn model [] (arith.constant {:value (nil nil)}))
; GIVEN: (defn json [] (arith.constant {:value ("llama" 2.5 [1 null-is-nil true] 12884901888)}))
; A file that is missing, no JSON, or nested without bound, is nil.
; GIVEN: (defn none [] (arith.constant {:value (nil nil nil)}))
; A text becomes a number, if it is one.
; GIVEN: (defn number [] (arith.constant {:value (33 2.5 nil)}))
; WRONG: wrong.lisp:2:{{.*}}: error[macro-shape]: in the macro `path`: a string is needed here
;--- main.lisp
(require-dialect arith)
(defmacro show [& body] `(arith.constant {:value ~body}))
(defmacro model-option [] `(show ~(program-option "--model" "--chat") ~(program-option "--mode")))
(defn model [] (model-option))
(defmacro config []
  (let [c (read-json "config.json")
        list (get c :list)]
    `(show ~(get c :model_type) ~(get c :scale) [~(nth list 0) ~(if (nil? (nth list 1)) (quote null-is-nil)) ~(nth list 2)]
           ~(get (get c :inner) :large))))
(defn json [] (config))
(defmacro no-file [] `(show ~(read-json "none.json") ~(read-json "main.lisp") ~(read-json "deep.json")))
(defn none [] (no-file))
(defmacro numbers [] `(show ~(+ 1 (read-number "32")) ~(read-number "2.5") ~(read-number "32x")))
(defn number [] (numbers))
;--- config.json
{"model_type": "llama", "scale": 2.5, "list": [1, null, true], "inner": {"large": 12884901888}}
;--- deep.json
[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
;--- wrong.lisp
(defmacro path [] (read-json 1))
(defn f [] (path))
