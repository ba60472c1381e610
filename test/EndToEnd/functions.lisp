; Functions, names and their scopes, and the declarations of C functions, run.
; RUN: lispier run %s | FileCheck %s --check-prefixes=CHECK,RESULT
; RUN: lispier build %s -o %t && sh -c '%t; test $? = 7' | FileCheck %s --check-prefixes=CHECK,BUILT
(require-dialect func arith cf)

; An older program declares printf without "...", and again in another file's words.
(extern-fn printf (-> [!llvm.ptr i64] [i32]))
(func.func {:sym_name "printf" :function_type (-> [!llvm.ptr i64] [i32]) :sym_visibility "private"} (region))

(defn main [] -> i32
  ; CHECK: 3 4
  (printf (cstring "%ld ") (: 3 i64))
  (func.call {:callee @printf :result i32} (cstring "%ld\n") (: 4 i64))
  ; CHECK-NEXT: 1 2 3 4
  (def [a b] (two))
  (def [c d] (also-two))
  (println "%d %ld %d %ld" a b c d)
  ; CHECK-NEXT: even 1 odd 0
  (println "even %d odd %d" (even 10) (odd 10))
  ; CHECK-NEXT: 42
  (print-i64 (inc 41))
  ; CHECK-NEXT: 10 1.5 10.5 7
  (println "%ld %.1f %.1f %ld" (let [x 3 [y z] (also-two) w (cast i64 y)] (+ x w z)) 1.5 (names) (let [] 7))
  ; CHECK-NEXT: blocks 1 5 8
  (println "blocks %ld %ld %ld" (blocks 1) (blocks 5) (blocks 6))
  ; CHECK-NEXT: void
  (void)
  ; RESULT-NEXT: {{^}}7{{$}}
  ; BUILT-NOT: {{.}}
  7)

; A string after the name or before the body documents a function.
(defn inc "one more" [(: x i64)] -> i64 (+ x 1))
(defn two [] -> [i32 i64] (func.return (: 1 i32) (: 2 i64)))
(defn also-two [] -> [i32 i64] [(: 3 i32) (: 4 i64)])
(defn even [(: n i64)] -> i1 (if (= n 0) (: true i1) (odd (- n 1))))
(defn odd [(: n i64)] -> i1 (if (= n 0) (: false i1) (even (- n 1))))
(defn void [] (println "void"))

; A name may be given again, `_` too; a bare number is an i64, a bare fraction an f64.
(defn names [] -> f64
  (def x 1.5) (def y 2) (def y (* (cast f64 y) 2.0)) (def _ 1) (def _ 2)
  (def [_ n] (also-two))
  (def alias x)
  (+ alias y (cast f64 n) (- 1.0 0.0)))

; Labels are seen from inside `let`; a block sees the names of the blocks before it; bare numbers take the arguments' types.
(func.func {:sym_name "blocks" :function_type (-> [i64] [i64])} (region
  (block [x]
    (def twice (arith.addi x x))
    (let [small (arith.cmpi {:predicate "slt"} x 3)] (cf.cond_br small ^small x ^other-wise 2 3)))
  (block ^small [(: v i64)] (func.return v))
  (block ^other-wise [(: p i64) (: q i64)]
    (def sum (arith.addi p q))
    (cf.switch {:case_values [5 6]} x ^other ^same sum ^plus))
  (block ^plus (func.return (arith.subi twice 4)))
  (block ^same [(: v i64)] (func.return v))
  (block ^other (func.return 0))))
