; A program in the way of the GPT-2 GPU program: everything spelt out, nothing inferred. Two layers read from a file;
; each one centres the rows (a kernel with shuffles), multiplies by its slice of the weights, and adds.
; RUN: rm -rf %t && mkdir -p %t && cd %t
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier check %s
; RUN: lispier build %s -o %t/program && %t/program | FileCheck %s
; CHECK: read 8192 of 8192 floats
; CHECK-NEXT: layer 0: 1.000000 0.738281
; CHECK-NEXT: layer 1: 2.000000 2.953671
; CHECK-NEXT: row 3: 1.000366 5.441953
; CHECK-NEXT: rounded 5.437500 exp 1.000000
; CHECK-NEXT: batch 64.000000 128.000000
; CHECK-NEXT: gathered 9.000000
; CHECK-NEXT: 28
; CHECK-NEXT: argmax 63 of 64, odd 1
; CHECK-NOT: {{.}}
(require-dialect gpu)
(require-dialect func)
(require-dialect arith)
(require-dialect memref)
(require-dialect linalg)
(require-dialect scf)
(require-dialect math)
(require-dialect llvm)

(extern-fn printf (-> [!llvm.ptr ...] [i32]))

(compilation-gpu rocm
  (passes (pass convert-linalg-to-parallel-loops))
  (func-passes
    (pass scf-parallel-loop-tiling {:parallel-loop-tile-sizes "16,16"})
    (pass gpu-map-parallel-loops))
  (passes
    (pass convert-parallel-loops-to-gpu)
    (pass lower-affine)
    (pass convert-scf-to-cf)
    (pass gpu-kernel-outlining)
    (pass rocdl-attach-target {:chip "gfx1100"}))
  (gpu-passes (pass convert-gpu-to-rocdl))
  (passes
    (pass gpu-module-to-binary)
    (pass gpu-to-llvm)
    (pass expand-strided-metadata)
    (pass lower-affine)
    (pass convert-arith-to-llvm)
    (pass convert-index-to-llvm)
    (pass convert-math-to-llvm)
    (pass finalize-memref-to-llvm)
    (pass convert-func-to-llvm)
    (pass convert-cf-to-llvm)
    (pass reconcile-unrealized-casts)))

(module
  (do
    (func.func {:sym_name "malloc" :function_type (-> [i64] [!llvm.ptr]) :sym_visibility "private"} (region))
    (func.func {:sym_name "free" :function_type (-> [!llvm.ptr] []) :sym_visibility "private"} (region))
    (func.func {:sym_name "fopen" :function_type (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]) :sym_visibility "private"} (region))
    (func.func {:sym_name "fread" :function_type (-> [!llvm.ptr i64 i64 !llvm.ptr] [i64]) :sym_visibility "private"} (region))
    (func.func {:sym_name "fwrite" :function_type (-> [!llvm.ptr i64 i64 !llvm.ptr] [i64]) :sym_visibility "private"} (region))
    (func.func {:sym_name "fseek" :function_type (-> [!llvm.ptr i64 i32] [i32]) :sym_visibility "private"} (region))
    (func.func {:sym_name "fclose" :function_type (-> [!llvm.ptr] [i32]) :sym_visibility "private"} (region))
    (func.func {:sym_name "clock_ms" :function_type (-> [] [i64]) :sym_visibility "private"} (region))
    (func.func {:sym_name "printF32" :function_type (-> [f32] []) :sym_visibility "private"} (region))
    (func.func {:sym_name "printNewline" :function_type (-> [] []) :sym_visibility "private"} (region))

    (llvm.mlir.global {:sym_name "path" :linkage "#llvm.linkage<external>" :global_type !llvm.array<12 x i8> :constant true}
      (region (block []
        (def text (llvm.mlir.constant {:value "weights.bin\0" :result !llvm.array<12 x i8>}))
        (llvm.return text))))
    (llvm.mlir.global {:sym_name "write_mode" :linkage "#llvm.linkage<external>" :global_type !llvm.array<3 x i8> :constant true}
      (region (block []
        (def text (llvm.mlir.constant {:value "wb\0" :result !llvm.array<3 x i8>}))
        (llvm.return text))))
    (llvm.mlir.global {:sym_name "read_mode" :linkage "#llvm.linkage<external>" :global_type !llvm.array<3 x i8> :constant true}
      (region (block []
        (def text (llvm.mlir.constant {:value "rb\0" :result !llvm.array<3 x i8>}))
        (llvm.return text))))

    ; weights[l, k, n] = 1/64 where n is 63, and l + 1 on the diagonal, written with a header of 16 bytes before it.
    (func.func {:sym_name "write_file" :function_type (-> [!llvm.ptr] [])}
      (region (block [(: buffer !llvm.ptr)]
        (def zero (: 0 i64)) (def one (: 1 i64)) (def count (: 8192 i64)) (def row (: 64 i64))
        (scf.for {} zero count one
          (region (block [(: i i64)]
            (def n (arith.remui i row))
            (def k (arith.remui (arith.divui i row) row))
            (def layer (arith.divui i (: 4096 i64)))
            (def scale (arith.uitofp {:result f32} (arith.addi layer one)))
            (def small (arith.select (arith.cmpi {:predicate 0} n (: 63 i64)) (: 0.015625 f32) (: 0.0 f32)))
            (def value (arith.select (arith.cmpi {:predicate 0} n k) scale small))
            (llvm.store value (ptr-at f32 buffer i))
            (scf.yield))))
        (def path (llvm.mlir.addressof {:global_name @path :result !llvm.ptr}))
        (def mode (llvm.mlir.addressof {:global_name @write_mode :result !llvm.ptr}))
        (def file (func.call {:callee "@fopen" :result !llvm.ptr} path mode))
        (def _header (func.call {:callee "@fwrite" :result i64} buffer (: 1 i64) (: 16 i64) file))
        (def _count (func.call {:callee "@fwrite" :result i64} buffer (: 4 i64) count file))
        (def _closed (func.call {:callee @fclose :result i32} file))
        (func.return))))

    (func.func {:sym_name "read_weights" :function_type (-> [memref<2x64x64xf32> !llvm.ptr] [])}
      (region (block [(: weights memref<2x64x64xf32>) (: buffer !llvm.ptr)]
        (def path (llvm.mlir.addressof {:global_name @path :result !llvm.ptr}))
        (def mode (llvm.mlir.addressof {:global_name @read_mode :result !llvm.ptr}))
        (def file (func.call {:callee "@fopen" :result !llvm.ptr} path mode))
        (def _moved (func.call {:callee "@fseek" :result i32} file (: 16 i64) (: 0 i32)))
        (def count (func.call {:callee "@fread" :result i64} buffer (: 4 i64) (: 8192 i64) file))
        (def _closed (func.call {:callee @fclose :result i32} file))
        (print "read %ld of %d floats\n" count (: 8192 i32))
        (def c0 (: 0 index)) (def c1 (: 1 index)) (def c2 (: 2 index)) (def c64 (: 64 index))
        (scf.for {} c0 c2 c1 (region (block [(: l index)]
          (scf.for {} c0 c64 c1 (region (block [(: k index)]
            (scf.for {} c0 c64 c1 (region (block [(: n index)]
              (def at (arith.addi (arith.muli (arith.addi (arith.muli l c64) k) c64) n))
              (def v (llvm.load {:result f32} (ptr-at f32 buffer (arith.index_cast {:result i64} at))))
              (memref.store v weights l k n)
              (scf.yield))))
            (scf.yield))))
          (scf.yield))))
        (func.return))))

    ; One block of 32 threads for each row; each thread has two columns, and the shuffles add up the row.
    (func.func {:sym_name "means" :function_type (-> [memref<4x64xf32> memref<4xf32>] [])}
      (region (block [(: x memref<4x64xf32>) (: mean memref<4xf32>)]
        (def c1 (: 1 index)) (def c4 (: 4 index)) (def c32 (: 32 index))
        (gpu.launch {:operandSegmentSizes array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} c4 c1 c1 c32 c1 c1
          (region (block [(: bx index) (: by index) (: bz index) (: tx index) (: ty index) (: tz index)
                          (: gdx index) (: gdy index) (: gdz index) (: bdx index) (: bdy index) (: bdz index)]
            (def c0 (: 0 index))
            (def w32 (: 32 i32))
            (def second (arith.addi tx (: 32 index)))
            (def v (arith.addf (memref.load x bx tx) (memref.load x bx second)))
            (def n (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v (: 16 i32) w32))
            (def v (arith.addf v n))
            (def n (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v (: 8 i32) w32))
            (def v (arith.addf v n))
            (def n (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v (: 4 i32) w32))
            (def v (arith.addf v n))
            (def n (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v (: 2 i32) w32))
            (def v (arith.addf v n))
            (def [n _ok] (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v (: 1 i32) w32))
            (def v (arith.addf v n))
            (def first (arith.cmpi {:predicate 0} tx c0))
            (scf.if first
              (region
                (memref.store (arith.divf v (: 64.0 f32)) mean bx)
                (scf.yield)))
            (gpu.terminator))))
        (func.return))))

    (func.func {:sym_name "layer" :function_type (-> [memref<4x64xf32> memref<2x64x64xf32> index memref<4x64xf32> memref<4xf32>] [])}
      (region (block [(: x memref<4x64xf32>) (: weights memref<2x64x64xf32>) (: l index) (: out memref<4x64xf32>) (: mean memref<4xf32>)]
        (func.call {:callee "@means"} x mean)
        (def centred (memref.alloc {:result memref<4x64xf32>}))
        (linalg.generic {:ins 2 :outs 1
                         :indexing_maps [affine_map<(d0, d1) -> (d0, d1)> affine_map<(d0,d1) -> (d0)> affine_map<(d0, d1) -> (d0, d1)>]
                         :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>"]}
          x mean centred
          (region (block [(: v f32) (: m f32) (: _o f32)]
            (linalg.yield (arith.subf v m)))))
        (def slice (memref.subview {:operandSegmentSizes "array<i32: 1, 1, 0, 0>"
                                    :static_offsets "array<i64: -9223372036854775808, 0, 0>"
                                    :static_sizes "array<i64: 1, 64, 64>"
                                    :static_strides "array<i64: 1, 1, 1>"
                                    :result "memref<64x64xf32, strided<[64, 1], offset: ?>>"} weights l))
        (linalg.fill {:ins 1 :outs 1} (: 0.0 f32) out
          (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
        (linalg.generic {:ins 2 :outs 1
                         :indexing_maps [affine_map<(t,n,k) -> (t,k)> affine_map<(t,n,k) -> (k,n)> affine_map<(t,n,k) -> (t,n)>]
                         :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>" "#linalg.iterator_type<reduction>"]}
          centred slice out
          (region (block [(: a f32) (: b f32) (: sum f32)]
            (linalg.yield (arith.addf sum (arith.mulf a b))))))
        ; The residual, in place.
        (linalg.add {:ins 2 :outs 1} x out x
          (region (block [(: a f32) (: b f32) (: _o f32)] (linalg.yield (arith.addf a b)))))
        (memref.dealloc centred)
        (func.return))))

    (func.func {:sym_name "batches" :function_type (-> [] [])}
      (region (block []
        (def a (memref.alloc {:result memref<2x4x64xf32>}))
        (def b (memref.alloc {:result memref<2x64x4xf32>}))
        (def c (memref.alloc {:result memref<2x4x4xf32>}))
        (linalg.fill {:ins 1 :outs 1} (: 1.0 f32) b (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
        (linalg.fill {:ins 1 :outs 1} (: 0.0 f32) c (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
        (def c0 (: 0 index)) (def c1 (: 1 index)) (def c2 (: 2 index)) (def c3 (: 3 index)) (def c4 (: 4 index)) (def c64 (: 64 index))
        (scf.parallel {:operandSegmentSizes "array<i32: 3, 3, 3, 0>"} [c0 c0 c0] [c2 c4 c64] [c1 c1 c1]
          (region (block [(: i index) (: j index) (: k index)]
            (def wide (arith.index_cast {:result i32} (arith.addi i c1)))
            (memref.store (arith.sitofp {:result f32} wide) a i j k)
            (scf.reduce))))
        (linalg.batch_matmul {:ins 2 :outs 1} a b c
          (region (block [(: x f32) (: y f32) (: sum f32)] (linalg.yield (arith.addf sum (arith.mulf x y))))))
        (print "batch %f %f\n" (arith.extf {:result f64} (memref.load c c0 c0 c0)) (arith.extf {:result f64} (memref.load c c1 c3 c3)))
        ; Row d1, column 1 + d0*2 of a table of numbers.
        (def table (memref.alloc {:result memref<4x8xf32>}))
        (scf.for {} c0 c4 c1 (region (block [(: i index)]
          (scf.for {} c0 (: 8 index) c1 (region (block [(: j index)]
            (def n (arith.addi (arith.muli i (: 4 index)) j))
            (memref.store (arith.sitofp {:result f32} (arith.index_cast {:result i64} n)) table i j)
            (scf.yield))))
          (scf.yield))))
        (def turned (memref.alloc {:result memref<2x4xf32>}))
        (linalg.generic {:ins 1 :outs 1
                         :indexing_maps [affine_map<(d0, d1) -> (d1, 1 + d0*2)> affine_map<(d0, d1) -> (d0, d1)>]
                         :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>"]}
          table turned
          (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
        (def copied (memref.alloc {:result memref<2x4xf32>}))
        (linalg.copy {:ins 1 :outs 1} turned copied (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
        (print "gathered %f\n" (arith.extf {:result f64} (memref.load copied c0 c2)))
        (def sum (scf.for {:result f32} c0 c4 c1 (: 0.0 f32)
          (region (block [(: i index) (: sum f32)]
            (scf.yield (arith.addf sum (memref.load copied c0 i)))))))
        (func.call {:callee @printF32} sum)
        (func.call {:callee @printNewline})
        (func.return))))

    (defn main []
      (def bytes (: 32768 i64))
      (def buffer (func.call {:callee "@malloc" :result !llvm.ptr} bytes))
      (func.call {:callee "@write_file"} buffer)
      (def weights (memref.alloc {:result memref<2x64x64xf32>}))
      (func.call {:callee "@read_weights"} weights buffer)
      (func.call {:callee "@free"} buffer)
      (def x (memref.alloc {:result memref<4x64xf32>}))
      (def out (memref.alloc {:result memref<4x64xf32>}))
      (def mean (memref.alloc {:result memref<4xf32>}))
      (gpu.host_register (memref.cast {:result "memref<*xf32>"} weights))
      (gpu.host_register (memref.cast {:result "memref<*xf32>"} x))
      (gpu.host_register (memref.cast {:result memref<*xf32>} out))
      (gpu.host_register (memref.cast {:result memref<*xf32>} mean))
      (def c0 (: 0 index)) (def c1 (: 1 index)) (def c2 (: 2 index)) (def c3 (: 3 index)) (def c4 (: 4 index)) (def c63 (: 63 index)) (def c64 (: 64 index))
      ; x[t, c] is 1, but t + 1 more or less at both ends: rows of mean 1.
      (linalg.fill {:ins 1 :outs 1} (: 1.0 f32) x (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
      (scf.for {} c0 c4 c1 (region (block [(: t index)]
        (def d (arith.sitofp {:result f32} (arith.index_cast {:result i32} t)))
        (def step (arith.divf d (: 4.0 f32)))
        (memref.store (arith.subf (: 1.0 f32) step) x t c0)
        (memref.store (arith.addf (: 1.0 f32) step) x t c63)
        (scf.yield))))
      (def start (func.call {:callee "@clock_ms" :result i64}))
      (scf.for {} c0 c2 c1 (region (block [(: l index)]
        (func.call {:callee "@layer"} x weights l out mean)
        (def i (arith.index_cast {:result i32} l))
        (print "layer %d: %f %f\n" i
          (arith.extf {:result f64} (arith.uitofp {:result f32} (arith.addi i (: 1 i32))))
          (arith.extf {:result f64} (memref.load out c3 c63)))
        (scf.yield))))
      (def _time (arith.subi (func.call {:callee "@clock_ms" :result i64}) start))
      (print "row %d: %f %f\n" (: 3 i32) (arith.extf {:result f64} (memref.load x c3 c1)) (arith.extf {:result f64} (memref.load x c3 c63)))
      (def y (memref.load x c3 c63))
      (def narrow (arith.truncf {:result bf16} y))
      (def e (math.exp (math.copysign (math.absf (: 0.0 f32)) (: -1.0 f32))))
      (print "rounded %f exp %f\n" (arith.extf {:result f64} narrow) (arith.extf {:result f64} e))
      (func.call {:callee @batches})
      ; The host looks for the largest right after the kernels wrote.
      (def [best _value] (scf.for {:result [index f32]} c0 c64 c1 [c0 (: -1e30 f32)]
        (region (block [(: i index) (: at index) (: largest f32)]
          (def v (memref.load x c3 i))
          (def larger (arith.cmpf {:predicate 2} v largest))
          (scf.yield (arith.select larger i at) (arith.maximumf v largest))))))
      (def index_ (arith.index_cast {:result i64} best))
      (def odd (arith.extui {:result i32} (arith.cmpi {:predicate 1} (arith.remui index_ (: 2 i64)) (: 0 i64))))
      (print "argmax %ld of %d, odd %d\n" index_ (: 64 i32) odd)
      (func.return))))
