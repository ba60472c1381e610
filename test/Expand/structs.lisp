; RUN: lispier show-expanded %s | FileCheck %s
; Access to a known struct stays as it is for IRGen; a struct may be used before it is defined.
; CHECK: (defn f [] (def p (new Point)) (Point/x! p 1) (Point/y p) (new Point 1 2) (Point/size))
(defn f [] (def p (new Point)) (Point/x! p 1) (Point/y p) (new Point 1 2) (Point/size))
; CHECK-NEXT: (defstruct Point [x i64] [y "vector<2xf32>"])
(defstruct Point [x i64] [y "vector<2xf32>"])
