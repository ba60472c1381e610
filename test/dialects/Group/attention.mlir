// Attention is printed and parsed, and where no schedule fits it becomes linalg ops, one after the other: the changed
// scores are computed again where they are cheap, and the log-sum-exp of a row that sees nothing is -inf.
// RUN: lispier-opt %s | lispier-opt | FileCheck %s
// RUN: lispier-opt %s --lispier-inline-groups | FileCheck %s --check-prefix=LINALG
// RUN: lispier-opt %s --canonicalize | FileCheck %s --check-prefix=UNUSED

#q = affine_map<(h, t, p, c, n) -> (t, h, c)>
#k = affine_map<(h, t, p, c, n) -> (p, c)>
#v = affine_map<(h, t, p, c, n) -> (p, n)>
#bias = affine_map<(h, t, p, c, n) -> (h)>
#number = affine_map<(h, t, p, c, n) -> ()>
#o = affine_map<(h, t, p, c, n) -> (t, h, n)>
#lse = affine_map<(h, t, p, c, n) -> (h, t)>

// CHECK-LABEL: func.func @attention
// CHECK: %{{.*}}:2 = group.attention {indexing_maps = [#{{.*}}], rounded = bf16} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2x64xbf16>, tensor<?x64xbf16>, tensor<?x32xbf16>)
// CHECK-SAME: scores(%{{.*}}, %{{.*}} : tensor<2xf32>, f32) outs(%{{.*}}, %{{.*}} : tensor<?x2x32xbf16>, tensor<2x?xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: group.score %{{.*}} : f32
// CHECK: } -> tensor<?x2x32xbf16>, tensor<2x?xf32>

// LINALG-LABEL: func.func @attention
// LINALG: %[[SCORES:.*]] = memref.alloc(%{{.*}}, %{{.*}}) {{.*}} : memref<2x?x?xf32>
// LINALG: linalg.contract {{.*}} outs(%[[SCORES]]
// LINALG: linalg.generic {{.*}}"parallel", "parallel", "reduction"]} ins(%[[SCORES]], %{{.*}} : memref<2x?x?xf32>, memref<2xf32>)
// LINALG: arith.cmpi ule
// LINALG: arith.maximumf
// LINALG: arith.cmpi ule
// LINALG: math.exp
// LINALG: arith.addf
// LINALG: arith.divf
// LINALG: arith.truncf
// LINALG: linalg.contract
// LINALG: arith.truncf
// LINALG: arith.cmpf oeq
// LINALG: math.log
// LINALG: arith.select
func.func @attention(%q: memref<?x2x64xbf16>, %k: memref<?x64xbf16>, %v: memref<?x32xbf16>, %b: memref<2xf32>,
                     %scale: f32, %o: memref<?x2x32xbf16>, %l: memref<2x?xf32>) {
  group.kernel "attention" kind(attention) ins(%q, %k, %v, %b, %scale : memref<?x2x64xbf16>, memref<?x64xbf16>, memref<?x32xbf16>, memref<2xf32>, f32)
      outs(%o, %l : memref<?x2x32xbf16>, memref<2x?xf32>) {
  ^bb0(%qs: tensor<?x2x64xbf16>, %ks: tensor<?x64xbf16>, %vs: tensor<?x32xbf16>, %bs: tensor<2xf32>, %factor: f32, %os: tensor<?x2x32xbf16>, %ls: tensor<2x?xf32>):
    %r:2 = group.attention {indexing_maps = [#q, #k, #v, #bias, #number, #o, #lse], rounded = bf16}
        ins(%qs, %ks, %vs : tensor<?x2x64xbf16>, tensor<?x64xbf16>, tensor<?x32xbf16>)
        scores(%bs, %factor : tensor<2xf32>, f32) outs(%os, %ls : tensor<?x2x32xbf16>, tensor<2x?xf32>) {
    ^bb0(%h: index, %t: index, %p: index, %s: f32, %slope: f32, %f: f32):
      %none = arith.constant 0xFF800000 : f32
      %scaled = arith.mulf %s, %f : f32
      %biased = arith.addf %scaled, %slope : f32
      %seen = arith.cmpi ule, %p, %t : index
      %masked = arith.select %seen, %biased, %none : f32
      group.score %masked : f32
    } -> tensor<?x2x32xbf16>, tensor<2x?xf32>
    group.yield %r#0, %r#1 : tensor<?x2x32xbf16>, tensor<2x?xf32>
  }
  return
}

// A log-sum-exp that nothing reads is not made.
// UNUSED-LABEL: func.func @unused
// UNUSED: %[[O:.*]] = group.attention
// UNUSED: return %[[O]]
func.func @unused(%q: tensor<?x2x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x32xf32>, %o: tensor<?x2x32xf32>,
                  %l: tensor<2x?xf32>) -> tensor<?x2x32xf32> {
  %r, %lse = group.attention {indexing_maps = [#q, #k, #v, #o, #lse]}
      ins(%q, %k, %v : tensor<?x2x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>)
      outs(%o, %l : tensor<?x2x32xf32>, tensor<2x?xf32>) {
  ^bb0(%h: index, %t: index, %p: index, %s: f32):
    group.score %s : f32
  } -> tensor<?x2x32xf32>, tensor<2x?xf32>
  return %r : tensor<?x2x32xf32>
}
