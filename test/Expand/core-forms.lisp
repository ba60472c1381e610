; RUN: lispier show-expanded %s | FileCheck %s --match-full-lines
; What is code in each special form, and what is left as it is.
(require-dialect arith func)
(defmacro one [] `(: 1 i64))

; `module` and `do` only group; the documentation of a function is gone.
; CHECK:      (defn f [(: one i64)] -> i64 (: 1 i64))
(module (do (defn f "what f is for" [(: one i64)] -> i64 (one))))

; A `do` among statements is flattened, also one that a macro generated; as an operand it is a region.
; CHECK-NEXT: (defn g [] (def a 1) (def b (: 1 i64)) (def c 3) (def d (do 4 (: 1 i64))) (scf.execute_region (do (scf.yield (: 1 i64)))))
(require-dialect scf)
(defmacro defs [& names] `(do ~@(map (fn [n] `(def ~n (one))) names)))
(defn g [] (def a 1) (do (defs b) (def c 3)) (def d (do 4 (one))) (scf.execute_region (do (scf.yield (one)))))

; Values in the vectors of bindings are code, names are not.
; CHECK-NEXT: (defn bindings [] (let [x (: 1 i64) [y z] (: 1 i64)] x) (for [i 0 (: 1 i64)] (: 1 i64)) (fold [acc (: 1 i64)] [i 0 (: 1 i64) 2] (: 1 i64)) (parallel [i (: 1 i64) j 2] (: 1 i64)) (loop {:result i64} [v (: 1 i64)] :while (: 1 i64) :do (: 1 i64)))
(defn bindings []
  (let [x (one) [y z] (one)] x)
  (for [i 0 (one)] (one))
  (fold [acc (one)] [i 0 (one) 2] (one))
  (parallel [i (one) j 2] (one))
  (loop {:result i64} [v (one)] :while (one) :do (one)))

; Operands in vectors are code; attribute maps and types are not.
; CHECK-NEXT: (func.func {:sym_name "h" :function_type (-> [i64] [])} (region (block ^entry [(: x i64)] (arith.addi {:keep (one)} [x (: 1 i64)]) (: (: 1 i64) i64) (cast i64 (: 1 i64)) (func.return))))
(func.func {:sym_name "h" :function_type (-> [i64] [])}
  (region (block ^entry [(: x i64)] (arith.addi {:keep (one)} [x (one)]) (: (one) i64) (cast i64 (one)) (func.return))))

; In the quasi-quote of a function only what is unquoted is code.
; CHECK-NEXT: (defn template [] (quasiquote (f (one) (unquote (: 1 i64)) (quasiquote (unquote (one))) (unquote-splice (: 1 i64)))))
(defn template [] `(f (one) ~(one) `~(one) ~@(one)))

; A path beside the source is known as soon as the file is.
; CHECK-NEXT: (defn path [] (cstring "/{{.*}}/test/Expand/Inputs/x"))
(defn path [] (source-path "../Expand/Inputs/x"))

; These are passed on as they are.
; CHECK-NEXT: (use-dialect math)
(use-dialect math)
; CHECK-NEXT: (extern :value-ffi)
(extern :value-ffi)
; CHECK-NEXT: (extern-fn printf (-> [!llvm.ptr ...] [i32]))
(extern-fn printf (-> [!llvm.ptr ...] [i32]))
; CHECK-NEXT: (link-library :c)
(link-library :c)
; CHECK-NEXT: (def-string greeting "hello")
(def-string greeting "hello")
; CHECK-NEXT: (compilation (target cpu (pass canonicalize {:one (one)})))
(compilation (target cpu (pass canonicalize {:one (one)})))
; CHECK-NEXT: (deftemplate nn.gelu {:for [cpu]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (: 1 i64))
(require-dialect nn)
(deftemplate nn.gelu {:for [cpu]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")] (one))
