// Numbers of 16 bits between the ops of one kernel are not rounded where rounding and widening have `contract`.
// RUN: lispier-opt %s -lispier-form-groups -split-input-file | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// The difference has two readers, and both widen it; the result leaves the kernel.
// CHECK-LABEL: func.func @inside(
// CHECK: group.kernel "inside_0" kind(row)
// CHECK: %[[WIDE:.*]] = tensor.empty(%{{.*}}) : tensor<?x8xf32>
// CHECK: %[[D:.*]] = linalg.generic {{.*}} outs(%[[WIDE]] : tensor<?x8xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: bf16, %{{.*}}: f32):
// CHECK-NOT: truncf
// CHECK: -> tensor<?x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[D]] : tensor<?x8xf32>)
// CHECK-NOT: extf
// CHECK: linalg.generic {{.*}} ins(%[[D]], %{{.*}} : tensor<?x8xf32>, tensor<?xf32>) outs(%{{.*}} : tensor<?x8xbf16>)
// CHECK-NOT: extf
// CHECK: arith.truncf %{{.*}} fastmath<contract> : f32 to bf16
func.func @inside(%x: tensor<?x8xbf16>, %zeros: tensor<?xf32>, %t: index) -> tensor<?x8xbf16> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%t) : tensor<?x8xbf16>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x8xbf16>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%i: bf16, %o: bf16):
    %0 = arith.extf %i fastmath<contract> : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 fastmath<contract> : f32 to bf16
    linalg.yield %2 : bf16 } -> tensor<?x8xbf16>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<?x8xbf16>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i fastmath<contract> : bf16 to f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32 } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %s : tensor<?x8xbf16>, tensor<?xf32>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%i: bf16, %j: f32, %o: bf16):
    %0 = arith.extf %i fastmath<contract> : bf16 to f32
    %1 = arith.divf %0, %j : f32
    %2 = arith.truncf %1 fastmath<contract> : f32 to bf16
    linalg.yield %2 : bf16 } -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}

// -----

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// One reader compares the rounded number.
// CHECK-LABEL: func.func @compared(
// CHECK: group.kernel "compared_0" kind(row)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xbf16>)
// CHECK: arith.truncf %{{.*}} fastmath<contract> : f32 to bf16
func.func @compared(%x: tensor<?x8xbf16>, %zeros: tensor<?xf32>, %t: index) -> tensor<?x8xi1> {
  %e = tensor.empty(%t) : tensor<?x8xbf16>
  %b = tensor.empty(%t) : tensor<?x8xi1>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x8xbf16>) outs(%e : tensor<?x8xbf16>) {
  ^bb0(%i: bf16, %o: bf16):
    %0 = arith.extf %i fastmath<contract> : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 fastmath<contract> : f32 to bf16
    linalg.yield %2 : bf16 } -> tensor<?x8xbf16>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<?x8xbf16>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i fastmath<contract> : bf16 to f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32 } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %s : tensor<?x8xbf16>, tensor<?xf32>) outs(%b : tensor<?x8xi1>) {
  ^bb0(%i: bf16, %j: f32, %o: i1):
    %0 = arith.extf %i : bf16 to f32
    %1 = arith.cmpf olt, %0, %j : f32
    linalg.yield %1 : i1 } -> tensor<?x8xi1>
  return %y : tensor<?x8xi1>
}
