// RUN: lispier-opt %s -lispier-form-groups | FileCheck %s
// RUN: lispier-opt %s -lispier-fuse-elementwise -lispier-form-groups -lispier-bufferize-tensors | FileCheck %s --check-prefix=MEMORY

#id = affine_map<(i) -> (i)>

// An nn op is a kernel by itself, between those of what is before and behind it. What fills its destination is not
// computed.
// CHECK-LABEL: func @between
// CHECK: %[[A:.*]] = group.kernel "between_0" kind(elementwise)
// CHECK: math.exp
// CHECK-NOT: linalg.fill
// CHECK: %[[Y:.*]] = nn.gelu %[[A]] into %{{.*}} {group.kernel = "between_2"}
// CHECK: group.kernel "between_1" kind(elementwise) ins(%[[Y]] : tensor<64xf32>)
// CHECK: math.log
func.func @between(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.exp %i : f32
    linalg.yield %0 : f32 } -> tensor<64xf32>
  %y = nn.gelu %a into %filled : tensor<64xf32>, tensor<64xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.log %i : f32
    linalg.yield %0 : f32 } -> tensor<64xf32>
  return %b : tensor<64xf32>
}

// The square of %a is read before gelu overwrites %a; as a part of the sum behind it would need a copy.
// MEMORY-LABEL: func @overwritten
// MEMORY: %[[A:.*]] = memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: nn.gelu %{{.*}} into %[[A]]
// MEMORY: group.kernel "overwritten_0" {{.*}}ins(%[[A]] : memref<64xf32>)
// MEMORY: nn.gelu %[[A]] into %[[A]]
// MEMORY-NOT: memref.copy
// MEMORY: group.kernel "overwritten_1" {{.*}}%[[A]]
// MEMORY-NOT: memref.copy
func.func @overwritten(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = nn.gelu %x into %e : tensor<64xf32>, tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = arith.mulf %i, %i : f32
    linalg.yield %0 : f32 } -> tensor<64xf32>
  %y = nn.gelu %a into %a : tensor<64xf32>, tensor<64xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y, %s : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %0 = arith.addf %i, %j : f32
    linalg.yield %0 : f32 } -> tensor<64xf32>
  return %b : tensor<64xf32>
}
