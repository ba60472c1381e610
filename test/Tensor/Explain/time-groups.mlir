// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-time-groups{gigabytes-per-second=1000 teraflops=2 product-teraflops=4}, canonicalize, cse))' | FileCheck %s
// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-time-groups))' | FileCheck %s --check-prefix=NOSPEED

#id = affine_map<(r, c) -> (r, c)>

// What a kernel reads and writes, and how long it takes at least, is computed from sizes of the call: here those of
// arguments, and that of an allocation.
// CHECK-LABEL: func @exponential
// CHECK-SAME: (%[[X:.*]]: memref<?x8xf32>, %[[N:.*]]: index)
// CHECK: memref.dim %[[X]]
// CHECK: %[[LEAST:.*]] = arith.maximumf
// CHECK-NEXT: group.begin "e_0" bytes %{{[^ ]+}} least %[[LEAST]]
// CHECK-NEXT: group.kernel "e_0"
// CHECK: group.end
// CHECK-NEXT: return
// NOSPEED-LABEL: func @exponential
// NOSPEED: group.begin "e_0" bytes %{{[^ ]+$}}
func.func @exponential(%x: memref<?x8xf32>, %n: index) {
  %y = memref.alloc(%n) : memref<?x8xf32>
  group.kernel "e_0" kind(elementwise) ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%xs: tensor<?x8xf32>, %out: tensor<?x8xf32>):
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xs : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32 } -> tensor<?x8xf32>
    group.yield %e : tensor<?x8xf32>
  }
  return
}

// A hand-written kernel has the cost of the group that it computes: 2 10^6 operations of products of 16-bit factors.
// CHECK-LABEL: func @matched
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1000 : index
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: group.begin "m_1" bytes %[[BYTES]] least %[[LEAST]]
// CHECK-NEXT: nn.linear
// CHECK-NEXT: group.end
func.func @matched(%x: memref<1x8xbf16>, %w: memref<4x8xbf16>, %y: memref<1x4xbf16>) {
  nn.linear %x, %w into %y {group.kernel = "m_1", group.cost = ["600", "400", "2000000", "0", "0", 2, "2000000"]} : memref<1x8xbf16>, memref<4x8xbf16>, memref<1x4xbf16>
  return
}

// A size that is not known before the kernel: no bytes. In a loop whose iterations threads share: no times.
// CHECK-LABEL: func @unknown
// CHECK: group.begin "u_0"{{$}}
// CHECK: scf.parallel
// CHECK-NOT: group.begin
func.func @unknown(%x: memref<?x8xbf16>, %w: memref<4x8xbf16>, %y: memref<?x4xbf16>, %n: index) {
  nn.linear %x, %w into %y {group.kernel = "u_0", group.cost = ["600 n0", "400", "2 n0", "0", "0", 2, "2 n0"]} : memref<?x8xbf16>, memref<4x8xbf16>, memref<?x4xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    nn.linear %x, %w into %y {group.kernel = "u_1"} : memref<?x8xbf16>, memref<4x8xbf16>, memref<?x4xbf16>
  }
  return
}
