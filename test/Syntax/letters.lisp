; A name with letters beyond ASCII is one error, however often it stands there, and however many there are. What is no
; letter is an error of its own.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: letters.lisp:[[#@LINE+4]]:13: error[lex-char]: the name `größe` has letters beyond ASCII
; CHECK: hint: names are of a to z, A to Z, digits and _-!?*+=<>@%./; strings and comments may hold any letter
; CHECK: letters.lisp:[[#@LINE+4]]:6: error[lex-char]: only strings and comments may hold characters beyond ASCII
; CHECK-NOT: error
(defn f [(: größe i64)] -> i64 ; Größe
  (println "größe")
  (+ × (twice größe)))
(defn twice [(: имя i64)] -> i64 (* имя имя))
(defn main [] (println (f 3)))
