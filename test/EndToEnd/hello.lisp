; The first program: it prints, and `run` prints what main returns.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier build %s -o %t && not %t | FileCheck %s --check-prefix=BUILT
; RUN: lispier run - < %s | FileCheck %s
; CHECK: {{^}}hello, 42{{$}}
; CHECK-NEXT: {{^}}7{{$}}
; BUILT: {{^}}hello, 42{{$}}
; BUILT-NOT: 7
(defn main [] -> i64
  (println "hello, %ld" (: 42 i64))
  (+ 3 4))
