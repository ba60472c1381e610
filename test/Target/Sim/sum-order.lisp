; The simulator adds a long row as a device does, lane by lane: one sum in f32 would lose what is added to it from 2^24
; on (19998352).
; RUN: lispier run --target=sim %s | FileCheck %s
; CHECK: 20000000.0
(defn main [] (println "%.1f" (at (sum (full f32 [20000000] 1.0)))))
