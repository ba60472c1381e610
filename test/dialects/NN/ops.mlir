// RUN: lispier-opt %s -verify-roundtrip | FileCheck %s

// Sizes may be static, dynamic or mixed; element types f32 and bf16.
// CHECK-LABEL: func @layers
func.func @layers(%position: memref<1xi32>,
                  %x: memref<?x64xf32>, %n: memref<?x64xbf16>, %g: memref<64xbf16>,
                  %w: memref<192x64xbf16>, %b: memref<192xbf16>, %qkv: memref<?x192xf32>,
                  %k: memref<2x?x16xf32>, %v: memref<2x?x16xf32>, %e: f32, %q: memref<?x4x16xf32>,
                  %new: memref<?x2x16xf32, strided<[?, ?, 1], offset: ?>>, %heads: memref<?x4x16xbf16>,
                  %q1: memref<1x4x16xf32>, %k1: memref<1x2x16xf32>, %c: memref<1x8xf32>,
                  %row: memref<1x64xf32>, %rowNormed: memref<1x64xbf16>, %row192: memref<1x192xf32>,
                  %other192: memref<1x192xf32>, %third192: memref<1x192xf32>,
                  %words: memref<?xbf16>, %narrow: memref<?x192xbf16>) {
  // CHECK: nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon %{{.*}} into %{{[^{]*}} : memref<?x64xf32>
  nn.layer_norm %x, %g, %g epsilon %e into %n : memref<?x64xf32>, memref<64xbf16>, memref<64xbf16>, memref<?x64xbf16>
  // CHECK: nn.linear %{{.*}}, %{{.*}} bias %{{.*}} into %{{.*}} {activation = #nn<activation gelu_tanh>}
  nn.linear %n, %w bias %b into %qkv {activation = #nn<activation gelu_tanh>} : memref<?x64xbf16>, memref<192x64xbf16>, memref<192xbf16>, memref<?x192xf32>
  // CHECK: nn.linear %{{.*}}, %{{.*}} residual %[[R:.*]] into %[[R]] : memref
  nn.linear %n, %w residual %qkv into %qkv : memref<?x64xbf16>, memref<192x64xbf16>, memref<?x192xf32>, memref<?x192xf32>
  // CHECK: nn.norm_linear %{{.*}}, %{{.*}}, %{{.*}} epsilon %{{.*}} through %{{.*}}, %{{.*}} bias %{{.*}} into %{{[^{]*}} {constant_weights}
  nn.norm_linear %x, %g, %g epsilon %e through %n, %w bias %b into %qkv {constant_weights} : memref<?x64xf32>, memref<64xbf16>, memref<64xbf16>, f32, memref<?x64xbf16>, memref<192x64xbf16>, memref<192xbf16>, memref<?x192xf32>
  // CHECK: nn.norm_product %{{.*}}, %{{.*}}, %{{.*}} epsilon %{{.*}} through %{{.*}}, %{{.*}} bias %{{.*}} into %{{[^{]*}} {activation = #nn<activation gelu_tanh>, constant_weights}
  nn.norm_product %x, %g, %g epsilon %e through %words, %w bias %b into %narrow {activation = #nn<activation gelu_tanh>, constant_weights} : memref<?x64xf32>, memref<64xbf16>, memref<64xbf16>, f32, memref<?xbf16>, memref<192x64xbf16>, memref<192xbf16>, memref<?x192xbf16>
  // CHECK: nn.linears %{{.*}}, %{{.*}}, %{{.*}} bias2 %{{.*}} into2 %{{.*}} into %{{[^{]*}} {constant_weights} : memref<1x64xf32>
  nn.linears %row, %w, %w bias2 %b into2 %row192 into %other192 {constant_weights} : memref<1x64xf32>, memref<192x64xbf16>, memref<192x64xbf16>, memref<192xbf16>, memref<1x192xf32>, memref<1x192xf32>
  // CHECK: nn.norm_linears %{{.*}}, %{{.*}} epsilon %{{.*}} through %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} into2 %{{.*}} into3 %{{.*}} into %{{.*}} : memref<1x64xf32>
  nn.norm_linears %row, %g epsilon %e through %rowNormed, %w, %w, %w into2 %row192 into3 %third192 into %other192 : memref<1x64xf32>, memref<64xbf16>, f32, memref<1x64xbf16>, memref<192x64xbf16>, memref<192x64xbf16>, memref<192x64xbf16>, memref<1x192xf32>, memref<1x192xf32>, memref<1x192xf32>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} into %{{[^{]*}} : memref
  nn.attention %q, %new, %new cache %k, %v at %position into %heads : memref<?x4x16xf32>, memref<?x2x16xf32, strided<[?, ?, 1], offset: ?>>, memref<?x2x16xf32, strided<[?, ?, 1], offset: ?>>, memref<2x?x16xf32>, memref<2x?x16xf32>, memref<1xi32>, memref<?x4x16xbf16>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} into %{{[^{]*}} {scale = 1.250000e-01 : f32, window = 128 : i64} : memref
  nn.attention %q, %q, %q at %position into %heads {mask = #nn<mask causal>, window = 128 : i64, scale = 0.125 : f32} : memref<?x4x16xf32>, memref<?x4x16xf32>, memref<?x4x16xf32>, memref<1xi32>, memref<?x4x16xbf16>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} window %{{.*}} into %{{[^{]*}} : memref
  nn.attention %q, %q, %q at %position window %position into %heads : memref<?x4x16xf32>, memref<?x4x16xf32>, memref<?x4x16xf32>, memref<1xi32>, memref<1xi32>, memref<?x4x16xbf16>
  // CHECK: nn.attention %{{.*}}, %{{.*}}, %{{.*}} into %{{[^{]*}} {mask = #nn<mask none>} : memref
  nn.attention %q, %new, %new into %heads {mask = #nn<mask none>} : memref<?x4x16xf32>, memref<?x2x16xf32, strided<[?, ?, 1], offset: ?>>, memref<?x2x16xf32, strided<[?, ?, 1], offset: ?>>, memref<?x4x16xbf16>
  // CHECK: nn.rotated_attention %{{.*}}, %{{.*}}, %{{.*}} by %{{.*}}, %{{.*}} through %{{.*}} cache %{{.*}}, %{{.*}} at %{{.*}} window %{{.*}} into %{{[^{]*}} {scale = 1.250000e-01 : f32} : memref
  nn.rotated_attention %q1, %k1, %k1 by %c, %c through %q1 cache %k, %v at %position window %position into %q1 {scale = 0.125 : f32} : memref<1x4x16xf32>, memref<1x2x16xf32>, memref<1x2x16xf32>, memref<1x8xf32>, memref<1x8xf32>, memref<1x4x16xf32>, memref<2x?x16xf32>, memref<2x?x16xf32>, memref<1xi32>, memref<1xi32>, memref<1x4x16xf32>
  // CHECK: nn.softmax %{{.*}} into
  nn.softmax %x into %x : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: nn.gelu %{{.*}} into
  nn.gelu %b into %b : memref<192xbf16>, memref<192xbf16>
  // CHECK: nn.add %{{.*}}, %{{.*}} into
  nn.add %k, %v into %k : memref<2x?x16xf32>, memref<2x?x16xf32>, memref<2x?x16xf32>
  return
}

// CHECK-LABEL: func @rows_by_number
func.func @rows_by_number(%at: memref<?xi32>, %rows: memref<?x?xbf16>, %lists: memref<?xi32>, %table: memref<?x?xf32>) {
  // CHECK: nn.add_at %{{.*}}, %{{.*}}, %{{.*}} into
  nn.add_at %at, %rows, %lists into %table : memref<?xi32>, memref<?x?xbf16>, memref<?xi32>, memref<?x?xf32>
  // CHECK: nn.set_at %{{.*}}, %{{.*}}, %{{.*}} into
  nn.set_at %at, %rows, %lists into %rows : memref<?xi32>, memref<?x?xbf16>, memref<?xi32>, memref<?x?xbf16>
  // CHECK: nn.extreme_at %{{.*}}, %{{.*}} into
  nn.extreme_at %at, %table into %table : memref<?xi32>, memref<?x?xf32>, memref<?x?xf32>
  // CHECK: nn.extreme_at %{{.*}}, %{{.*}} least into
  nn.extreme_at %at, %table least into %table : memref<?xi32>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func @places_in_order
func.func @places_in_order(%x: memref<?x?xbf16>, %scratch: memref<?xi64>, %descending: i32, %o: memref<?x?xi32>) {
  // CHECK: nn.argsort %{{.*}}, %{{.*}} descending %{{.*}} into
  nn.argsort %x, %scratch descending %descending into %o : memref<?x?xbf16>, memref<?xi64>, memref<?x?xi32>
  return
}

// CHECK-LABEL: func @token
func.func @token(%logits: memref<?xf32>, %state: memref<1xi64>, %temperature: f32, %k: i32, %p: f32, %out: memref<1xi32>) {
  // CHECK: nn.argmax %{{.*}} into
  nn.argmax %logits into %out : memref<?xf32>, memref<1xi32>
  // CHECK: nn.sample %{{.*}}, %{{.*}}, %{{.*}} temperature %{{.*}} top_k %{{.*}} top_p %{{.*}} into
  nn.sample %logits, %logits, %state temperature %temperature top_k %k top_p %p into %out : memref<?xf32>, memref<?xf32>, memref<1xi64>, memref<1xi32>
  return
}
