; Masked reads and writes of tiles: rows that end within a vector, tiles past every edge, numbers of several widths.
; What is not chosen is neither read nor written.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=asm --cpu=x86-64-v4 %s | FileCheck %s --check-prefix=ASM
(require-dialect memref)

; LLVM makes masked vectors of the loops over chosen elements.
; ASM: vmovups {{.*}}, %zmm{{[0-9]+}} {%k{{[0-9]}}} {z}
; ASM: vmov{{[a-z0-9]+}} %zmm{{[0-9]+}}, {{.*}} {%k{{[0-9]}}}
(defmacro check-type [type columns]
  (let [memory (str "memref<?x?x" type ">")
        program (symbol (str "masked-" type))
        check (symbol (str "check-" type))]
    `(do
      (deftile ~program [(: x ~memory) (: y ~memory) (: from index)]
        (def i (+ from (* 4 (program-id 0))))
        (def j (+ from (* ~columns (program-id 1))))
        (def r (+ i (iota index [4 1] :axis 0)))
        (def c (+ j (iota index [1 ~columns] :axis 1)))
        (def v (load x [i j] [4 ~columns] :mask (= (% (+ r (* 2 c)) 3) 0) :else (cast ~type 7)))
        (store (+ v v) y [i j] :mask (!= (% (+ r c) 2) 0)))
      (defn ~check [(: rows index) (: columns index) (: from index)] -> index
        (def x (memref.alloc {:result ~memory} rows columns))
        (def y (memref.alloc {:result ~memory} rows columns))
        (for [i 0 rows] (for [j 0 columns]
          (memref.store (cast ~type (% (+ (* 5 i) (* 3 j)) 11)) x i j)
          (memref.store (cast ~type 99) y i j)))
        (launch ~program {:grid [(/ (+ rows 7) 4) (+ 1 (/ (+ columns ~columns) ~columns))]} x y from)
        (fold [wrong 0] [i 0 rows]
          (fold [wrong wrong] [j 0 columns]
            (def old (if (= (% (+ i (* 2 j)) 3) 0) (% (+ (* 5 i) (* 3 j)) 11) 7))
            (def expected (if (= (% (+ i j) 2) 0) 99 (+ old old)))
            (if (= (memref.load y i j) (cast ~type expected)) wrong (+ wrong 1))))))))

(check-type f32 32)
(check-type f64 16)
(check-type bf16 64)
(check-type i8 64)
(check-type i32 12)

(defn main []
  ; CHECK: 0 0 0
  (print "%ld %ld %ld\n" (cast i64 (check-f32 7 77 0)) (cast i64 (check-f32 4 64 0)) (cast i64 (check-f32 5 33 -3)))
  ; CHECK: 0 0 0 0
  (print "%ld %ld %ld %ld\n" (cast i64 (check-f64 7 77 0)) (cast i64 (check-bf16 6 200 0)) (cast i64 (check-i8 9 130 0))
    (cast i64 (check-i32 5 31 0))))
