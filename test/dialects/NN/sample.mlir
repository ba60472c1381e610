// DEFINE: %{lower} = lispier-opt %s --pass-pipeline='builtin.module(lispier-decompose-nn,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts)'
// RUN: %{lower} | mlir-runner -e main -entry-point-result=void -shared-libs=%llvm-libraries/libmlir_c_runner_utils.so | FileCheck %s
// RUN: lispier run --from=module %s | FileCheck %s

// nn.sample draw after draw, against a model of its description in integers of
// any size (Python): the filters by sorting, not by the search that the lowering
// uses. Each case prints its tokens, then the state.

memref.global "private" constant @logits_0 : memref<8xf32> = dense<[0.5, 2.0, -1.0, 1.5, 2.0, 0.25, -3.0, 1.0]>
memref.global "private" constant @logits_1 : memref<8xf32> = dense<[0x7FC00000, 1.0, 0x7FC00000, 3.0, 0xFF800000, 3.0, 0x7FC00000, 0xFF800000]>
memref.global "private" constant @logits_2 : memref<8xf32> = dense<[1.0, 0x7F800000, 0.0, 0x7F800000, 0x7FC00000, 1.0, 1.0, 1.0]>
memref.global "private" constant @logits_3 : memref<8xf32> = dense<[0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]>

func.func private @draw(%given: memref<8xf32>, %seed: i64, %temperature: f32, %k: i32, %p: f32, %draws: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %logits = memref.cast %given : memref<8xf32> to memref<?xf32>
  %size = memref.dim %logits, %c0 : memref<?xf32>
  %scratch = memref.alloc(%size) : memref<?xf32>
  %state = memref.alloc() : memref<1xi64>
  %out = memref.alloc() : memref<1xi32>
  memref.store %seed, %state[%c0] : memref<1xi64>
  scf.for %i = %c0 to %draws step %c1 {
    nn.sample %logits, %scratch, %state temperature %temperature top_k %k top_p %p into %out : memref<?xf32>, memref<?xf32>, memref<1xi64>, memref<1xi32>
    %token = memref.load %out[%c0] : memref<1xi32>
    vector.print %token : i32 punctuation <comma>
  }
  %after = memref.load %state[%c0] : memref<1xi64>
  vector.print %after : i64
  return
}

// The scratch memory may be the logits themselves.
func.func private @in_place() {
  %c0 = arith.constant 0 : index
  %given = memref.get_global @logits_0 : memref<8xf32>
  %logits = memref.alloc() : memref<8xf32>
  memref.copy %given, %logits : memref<8xf32> to memref<8xf32>
  %state = memref.alloc() : memref<1xi64>
  %out = memref.alloc() : memref<1xi32>
  %seed = arith.constant 42 : i64
  memref.store %seed, %state[%c0] : memref<1xi64>
  %one = arith.constant 1.0 : f32
  %all = arith.constant 0 : i32
  nn.sample %logits, %logits, %state temperature %one top_k %all top_p %one into %out : memref<8xf32>, memref<8xf32>, memref<1xi64>, memref<1xi32>
  %token = memref.load %out[%c0] : memref<1xi32>
  vector.print %token : i32
  return
}

func.func private @greedy(%logits: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %out = memref.alloc() : memref<1xi32>
  nn.argmax %logits into %out : memref<8xf32>, memref<1xi32>
  %token = memref.load %out[%c0] : memref<1xi32>
  vector.print %token : i32
  return
}

func.func @main() {
  %logits_0 = memref.get_global @logits_0 : memref<8xf32>
  %logits_1 = memref.get_global @logits_1 : memref<8xf32>
  %logits_2 = memref.get_global @logits_2 : memref<8xf32>
  %logits_3 = memref.get_global @logits_3 : memref<8xf32>

  // Everything is kept.
  %seed_42 = arith.constant 42 : i64
  %f_1_0 = arith.constant 1.0 : f32
  %k_0 = arith.constant 0 : i32
  %draws_12 = arith.constant 12 : index
  vector.print str "plain\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_0, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: plain{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 7, 4, 4, 1, 3, 1, 4, 3, 1, -1659091660966904729{{$}}

  %f_0_5 = arith.constant 0.5 : f32
  vector.print str "cooler\n"
  call @draw(%logits_0, %seed_42, %f_0_5, %k_0, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: cooler{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 5, 4, 4, 1, 3, 1, 4, 3, 1, -1659091660966904729{{$}}

  %f_4_0 = arith.constant 4.0 : f32
  vector.print str "hotter\n"
  call @draw(%logits_0, %seed_42, %f_4_0, %k_0, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: hotter{{$}}
  // CHECK-NEXT: {{^}}2, 5, 5, 7, 5, 6, 1, 3, 2, 4, 3, 2, -1659091660966904729{{$}}

  %k_3 = arith.constant 3 : i32
  vector.print str "top 3\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_3, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: top 3{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 4, 4, 4, 1, 3, 1, 4, 3, 1, -1659091660966904729{{$}}

  // Both of the best are kept.
  %k_1 = arith.constant 1 : i32
  vector.print str "top 1 of equals\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_1, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: top 1 of equals{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 4, 4, 4, 1, 1, 1, 4, 1, 1, -1659091660966904729{{$}}

  // As many as there are: no filter.
  %k_100 = arith.constant 100 : i32
  vector.print str "top 100 of 8\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_100, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: top 100 of 8{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 7, 4, 4, 1, 3, 1, 4, 3, 1, -1659091660966904729{{$}}

  // Four tokens: the first three have 76 of 100.
  %f_0_8 = arith.constant 0.8 : f32
  vector.print str "share 0.8\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_0, %f_0_8, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: share 0.8{{$}}
  // CHECK-NEXT: {{^}}3, 4, 4, 7, 4, 4, 1, 3, 1, 4, 3, 3, -1659091660966904729{{$}}

  %f_0_0 = arith.constant 0.0 : f32
  vector.print str "share 0\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_0, %f_0_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: share 0{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 4, 4, 4, 1, 1, 1, 4, 1, 1, -1659091660966904729{{$}}

  %f_minus_1_0 = arith.constant -1.0 : f32
  vector.print str "share below 0\n"
  call @draw(%logits_0, %seed_42, %f_1_0, %k_0, %f_minus_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: share below 0{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 4, 4, 4, 1, 1, 1, 4, 1, 1, -1659091660966904729{{$}}

  // Three of the four.
  %f_2_0 = arith.constant 2.0 : f32
  %k_4 = arith.constant 4 : i32
  %f_0_7 = arith.constant 0.7 : f32
  vector.print str "top 4 then share 0.7\n"
  call @draw(%logits_0, %seed_42, %f_2_0, %k_4, %f_0_7, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: top 4 then share 0.7{{$}}
  // CHECK-NEXT: {{^}}1, 4, 4, 4, 4, 4, 1, 3, 1, 4, 3, 1, -1659091660966904729{{$}}

  %seed_0 = arith.constant 0 : i64
  vector.print str "seed 0\n"
  call @draw(%logits_0, %seed_0, %f_1_0, %k_0, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: seed 0{{$}}
  // CHECK-NEXT: {{^}}0, 1, 4, 3, 4, 4, 4, 3, 3, 4, 0, 4, -8026581579134626235{{$}}

  // The first of the largest; the state stays.
  %draws_4 = arith.constant 4 : index
  vector.print str "cold\n"
  call @draw(%logits_0, %seed_42, %f_0_0, %k_0, %f_1_0, %draws_4) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: cold{{$}}
  // CHECK-NEXT: {{^}}1, 1, 1, 1, 42{{$}}

  // A NaN and minus infinity are never drawn.
  vector.print str "with NaN\n"
  call @draw(%logits_1, %seed_42, %f_1_0, %k_0, %f_1_0, %draws_12) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: with NaN{{$}}
  // CHECK-NEXT: {{^}}3, 5, 5, 5, 5, 5, 3, 3, 3, 5, 3, 3, -1659091660966904729{{$}}

  // No weights: argmax; the state stays.
  vector.print str "infinite\n"
  call @draw(%logits_2, %seed_42, %f_1_0, %k_0, %f_1_0, %draws_4) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: infinite{{$}}
  // CHECK-NEXT: {{^}}1, 1, 1, 1, 42{{$}}

  vector.print str "nothing\n"
  call @draw(%logits_3, %seed_42, %f_1_0, %k_0, %f_1_0, %draws_4) : (memref<8xf32>, i64, f32, i32, f32, index) -> ()
  // CHECK: nothing{{$}}
  // CHECK-NEXT: {{^}}0, 0, 0, 0, 42{{$}}

  vector.print str "in place\n"
  call @in_place() : () -> ()
  // CHECK: in place
  // CHECK-NEXT: {{^}}1{{$}}

  vector.print str "argmax\n"
  call @greedy(%logits_0) : (memref<8xf32>) -> ()
  call @greedy(%logits_1) : (memref<8xf32>) -> ()
  call @greedy(%logits_2) : (memref<8xf32>) -> ()
  call @greedy(%logits_3) : (memref<8xf32>) -> ()
  // CHECK: argmax
  // CHECK-NEXT: {{^}}1{{$}}
  // CHECK-NEXT: {{^}}3{{$}}
  // CHECK-NEXT: {{^}}1{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  return
}
