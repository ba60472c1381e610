// RUN: lispier-opt %s -verify-roundtrip | FileCheck %s
// RUN: lispier-opt %s -lispier-bufferize-tensors | FileCheck %s --check-prefix=MEMORY

// On tensors the result is the new value of the destination. Bufferization computes it there, of which no element is
// read: nothing is copied.

// CHECK-LABEL: func @layers
// CHECK: = nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon %{{.*}} into %{{[^{]*}} : tensor<?x64xf32>, tensor<64xbf16>
// CHECK: = nn.linear %{{.*}}, %{{.*}} bias %{{.*}} residual %{{.*}} into %{{.*}} : tensor
// MEMORY-LABEL: func @layers
// MEMORY-NOT: memref.copy
// MEMORY: %[[N:.*]] = memref.alloc
// MEMORY: nn.layer_norm %{{.*}} into %[[N]] : memref<?x64xf32>, memref<64xbf16>, memref<64xbf16>, memref<?x64xbf16>
// MEMORY: %[[Y:.*]] = memref.alloc
// MEMORY: nn.linear %[[N]], %{{.*}} into %[[Y]] {activation = #nn<activation relu>} : memref
// MEMORY: memref.dealloc %[[N]]
// MEMORY: return %[[Y]]
func.func @layers(%t: index, %x: tensor<?x64xf32>, %g: tensor<64xbf16>, %w: tensor<192x64xbf16>, %b: tensor<192xbf16>,
                  %r: tensor<?x192xf32>, %e: f32) -> tensor<?x192xf32> {
  %n = tensor.empty(%t) : tensor<?x64xbf16>
  %normed = nn.layer_norm %x, %g, %g epsilon %e into %n : tensor<?x64xf32>, tensor<64xbf16>, tensor<64xbf16>, tensor<?x64xbf16>
  %o = tensor.empty(%t) : tensor<?x192xf32>
  %y = nn.linear %normed, %w bias %b residual %r into %o {activation = #nn<activation relu>} : tensor<?x64xbf16>, tensor<192x64xbf16>, tensor<192xbf16>, tensor<?x192xf32>, tensor<?x192xf32>
  return %y : tensor<?x192xf32>
}

// Scratch is memory of its own, of which nothing is left.
// CHECK-LABEL: func @norm_linear
// CHECK: = nn.norm_linear %{{.*}} through %{{.*}} into %{{.*}} {constant_weights} : tensor
// MEMORY-LABEL: func @norm_linear
// MEMORY: %[[S:.*]] = memref.alloc() {{.*}} : memref<1x64xf32>
// MEMORY: %[[Y:.*]] = memref.alloc() {{.*}} : memref<1x192xf32>
// MEMORY: nn.norm_linear %{{.*}} through %[[S]], %{{.*}} into %[[Y]] {constant_weights} : memref
// MEMORY: memref.dealloc %[[S]]
func.func @norm_linear(%x: tensor<1x64xf32>, %g: tensor<64xf32>, %w: tensor<192x64xf32>, %e: f32) -> tensor<1x192xf32> {
  %s = tensor.empty() : tensor<1x64xf32>
  %o = tensor.empty() : tensor<1x192xf32>
  %y = nn.norm_linear %x, %g, %g epsilon %e through %s, %w into %o {constant_weights} : tensor<1x64xf32>, tensor<64xf32>, tensor<64xf32>, f32, tensor<1x64xf32>, tensor<192x64xf32>, tensor<1x192xf32>
  return %y : tensor<1x192xf32>
}

// What an op may compute in place is in place, if it is not needed later; here x is, the caller's.
// CHECK-LABEL: func @in_place
// CHECK: %[[A:.*]] = nn.gelu %[[X:.*]] into %[[X]] : tensor
// CHECK: %[[B:.*]] = nn.add %[[A]], %[[X]] into %[[A]] : tensor
// CHECK: nn.softmax %[[B]] into %[[B]] : tensor
// MEMORY-LABEL: func @in_place
// MEMORY-SAME: %[[X:[a-z0-9]*]]: memref<?x64xf32>
// MEMORY-NOT: memref.copy
// MEMORY: %[[Y:.*]] = memref.alloc
// MEMORY: nn.gelu %[[X]] into %[[Y]]
// MEMORY: nn.add %[[Y]], %[[X]] into %[[Y]]
// MEMORY: nn.softmax %[[Y]] into %[[Y]]
// MEMORY: return %[[Y]]
func.func @in_place(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %a = nn.gelu %x into %x : tensor<?x64xf32>, tensor<?x64xf32>
  %b = nn.add %a, %x into %a : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  %c = nn.softmax %b into %b : tensor<?x64xf32>, tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// A product needs its input until the end: what it would overwrite is elsewhere.
// MEMORY-LABEL: func @not_in_place
// MEMORY: %[[X:.*]] = memref.alloc() {{.*}} : memref<64x64xf32>
// MEMORY: nn.gelu %{{.*}} into %[[X]]
// MEMORY: %[[Y:.*]] = memref.alloc() {{.*}} : memref<64x64xf32>
// MEMORY: nn.linear %[[X]], %{{.*}} into %[[Y]]
func.func @not_in_place(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = nn.gelu %x into %e : tensor<64x64xf32>, tensor<64x64xf32>
  %alias = tensor.cast %a : tensor<64x64xf32> to tensor<?x64xf32>
  %back = tensor.cast %alias : tensor<?x64xf32> to tensor<64x64xf32>
  %y = nn.linear %a, %w into %back : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Caches and random state are memory in a function of tensors, too.
// CHECK-LABEL: func @state
// CHECK: = nn.attention %{{.*}} cache %{{.*}} at %{{.*}} into %{{.*}} : tensor<1x4x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, memref<2x?x16xf32>
// CHECK: = nn.rotated_attention %{{.*}} through %{{.*}} cache
// CHECK: = nn.argmax
// CHECK: = nn.sample
// MEMORY-LABEL: func @state
// MEMORY: nn.attention
// MEMORY: nn.rotated_attention
// MEMORY: nn.argmax
// MEMORY: nn.sample
func.func @state(%q: tensor<1x4x16xf32>, %k: tensor<1x2x16xf32>, %keys: memref<2x?x16xf32>, %values: memref<2x?x16xf32>,
                 %at: tensor<1xi32>, %c: tensor<1x8xf32>, %logits: tensor<64xf32>, %state: memref<1xi64>, %t: f32, %n: i32)
    -> (tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1xi32>, tensor<1xi32>) {
  %e = tensor.empty() : tensor<1x4x16xf32>
  %s = tensor.empty() : tensor<1x6x16xf32>
  %i = tensor.empty() : tensor<1xi32>
  %l = tensor.empty() : tensor<64xf32>
  %a = nn.attention %q, %k, %k cache %keys, %values at %at into %e : tensor<1x4x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, memref<2x?x16xf32>, memref<2x?x16xf32>, tensor<1xi32>, tensor<1x4x16xf32>
  %b = nn.rotated_attention %q, %k, %k by %c, %c through %s cache %keys, %values at %at into %e : tensor<1x4x16xf32>, tensor<1x2x16xf32>, tensor<1x2x16xf32>, tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x6x16xf32>, memref<2x?x16xf32>, memref<2x?x16xf32>, tensor<1xi32>, tensor<1x4x16xf32>
  %x = nn.argmax %logits into %i : tensor<64xf32>, tensor<1xi32>
  %y = nn.sample %logits, %l, %state temperature %t top_k %n top_p %t into %i : tensor<64xf32>, tensor<64xf32>, memref<1xi64>, tensor<1xi32>
  return %a, %b, %x, %y : tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1xi32>, tensor<1xi32>
}
