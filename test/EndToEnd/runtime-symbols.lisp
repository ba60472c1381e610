; What programs of every age declare and expect to find: of C, of MLIR's runner, of the GPU runtime, of the value functions.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier build %s -o %t && %t | FileCheck %s
(require-dialect memref vector)
(link-library :c)
(link-library :libc)
(link-library :m)
(link-library :libm)
(extern :value-ffi)
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn free (-> [!llvm.ptr] []))
(extern-fn putchar (-> [i32] [i32]))
(extern-fn puts (-> [!llvm.ptr] [i32]))
(extern-fn memcpy (-> [!llvm.ptr !llvm.ptr i64] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))
(extern-fn atoi (-> [!llvm.ptr] [i32]))
(extern-fn cos (-> [f64] [f64]))
(extern-fn printf_1 (-> [!llvm.ptr i64] [i32]))
(extern-fn printf_2 (-> [!llvm.ptr i64 i64] [i32]))
(extern-fn printf_3 (-> [!llvm.ptr i64 i64 i64] [i32]))
(extern-fn printf_4 (-> [!llvm.ptr i64 i64 i64 i64] [i32]))
(extern-fn clock_ms (-> [] [i64]))
(extern-fn printF32 (-> [f32] []))
(extern-fn printI64 (-> [i64] []))
(extern-fn printNewline (-> [] []))
(extern-fn printMemrefF32 (-> ["memref<*xf32>"] []))
(extern-fn mgpuMemGetDeviceMemRef1dFloat (-> [memref<?xf32>] [memref<?xf32>]))
(extern-fn value_list_new (-> [] [!llvm.ptr]))

(defn c-library []
  ; CHECK: A
  ; CHECK-NEXT: puts
  (putchar 65) (putchar 10) (puts (cstring "puts"))
  (def p (malloc 8))
  (def q (call !llvm.ptr malloc (: 8 i64)))
  (ptr-store! (: 9 i64) p)
  (memcpy q p 8)
  ; CHECK-NEXT: 9 3 12 1
  (println "%ld %ld %d %g" (ptr-load i64 q) (strlen (cstring "abc")) (atoi (cstring "12")) (cos 0.0))
  (free p) (free q)
  ; CHECK-NEXT: one 1
  (printf_1 (cstring "one %ld\n") 1)
  ; CHECK-NEXT: 1 2
  ; CHECK-NEXT: 1 2 3
  ; CHECK-NEXT: 1 2 3 4
  (printf_2 (cstring "%ld %ld\n") 1 2)
  (printf_3 (cstring "%ld %ld %ld\n") 1 2 3)
  (printf_4 (cstring "%ld %ld %ld %ld\n") 1 2 3 4)
  ; CHECK-NEXT: clock 1
  (println "clock %d" (>i (clock_ms) (: 0 i64))))

(defn runner []
  (def m (memref.alloc {:result memref<2x2xf32>}))
  (parallel [i 2 j 2] (memref.store 1.5 m i j))
  ; CHECK-NEXT: 2.5
  ; CHECK-NEXT: 3
  ; CHECK: sizes = [2, 2] strides = [2, 1]
  ; CHECK: 1.5, 1.5
  (printF32 2.5) (printNewline) (printI64 3) (printNewline)
  (printMemrefF32 (memref.cast {:result "memref<*xf32>"} m))
  ; CHECK: ( 1, 2, 3 )
  (vector.print (: [1 2 3] vector<3xi32>))
  (def d (memref.alloc {:result memref<?xf32>} 4))
  (memref.store 4.5 d 0)
  ; CHECK-NEXT: 4.5
  (println "%g" (memref.load (mgpuMemGetDeviceMemRef1dFloat d) 0))
  ; CHECK-NEXT: 1.0078125
  (println "%.7f" (cast f32 (cast bf16 (: 1.0078125 f32)))))

; A list of a number, nil and a symbol, as a macro would build it.
(defn values []
  (def l (value_list_new))
  (value_list_push l (value_number_new 1.0))
  (value_list_push l (value_nil_new))
  (value_list_push l (value_symbol_def))
  ; CHECK-NEXT: def 1 1 1 3
  (println "%s %g %d %d %ld" (value_symbol_name (value_list_get l 2)) (value_number_get (value_list_first l))
    (value_is_nil (value_list_get l 1)) (value_is_list (value_list_rest l)) (value_list_len l)))

(defn main [] (c-library) (runner) (values))
