; 6. Several files.                   RUN: lispier run %s | FileCheck %s
;
; A required file is loaded once, and its functions are called through its alias. Macros are private to
; their file unless require-macros imports them.

(require ["./lib/geometry.lisp" :as geo])
(require-macros "./lib/geometry.lisp")

(defn main []
  (println "%g" (geo/area 3.0 4.0))              ; CHECK: 12
  (println "%g" (hypotenuse-squared 3.0 4.0)))   ; CHECK: 25
