// RUN: lispier --emit=loops --target=cuda --templates=false --from=module %s | FileCheck %s
// RUN: lispier --emit=ptx --target=cuda:sm_80 --templates=false --from=module %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: lispier --emit=hsaco --target=rocm:gfx942 --templates=false --from=module %s -o %t.hsaco
// RUN: llvm-readelf --symbols %t.hsaco | FileCheck %s --check-prefix=HSACO

// Every op of a language model compiles for both vendors without a template and without a device library; the host
// loads and stores nothing itself.
// CHECK: func.func @model
// CHECK-NOT: memref.load
// CHECK-NOT: memref.store
// CHECK: gpu.module @kernels
// PTX-COUNT-14: .visible .entry model_kernel
// PTX-NOT: .extern .func
// HSACO-COUNT-14: FUNC GLOBAL PROTECTED {{.*}} model_kernel
func.func @model(%wte: memref<?x?xbf16>, %position: memref<1xi32>, %x: memref<?x?xf32>,
    %w: memref<?xbf16>, %h: memref<?x?xbf16>, %heads: memref<?x?x?xbf16>, %keys: memref<?x?x?xbf16>,
    %values: memref<?x?x?xbf16>, %y: memref<?x?xbf16>, %logits: memref<?xf32>, %scratch: memref<?xf32>,
    %state: memref<1xi64>, %token: memref<1xi32>, %t: f32, %k: i32) {
  nn.layer_norm %x, %w, %w epsilon %t into %h : memref<?x?xf32>, memref<?xbf16>, memref<?xbf16>, memref<?x?xbf16>
  nn.linear %h, %wte bias %w residual %y into %y {activation = #nn<activation gelu_tanh>} : memref<?x?xbf16>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  nn.attention %heads, %heads, %heads cache %keys, %values at %position into %heads : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<1xi32>, memref<?x?x?xbf16>
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  nn.gelu %x into %x : memref<?x?xf32>, memref<?x?xf32>
  nn.add %x, %x into %x : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  nn.argmax %logits into %token : memref<?xf32>, memref<1xi32>
  nn.sample %logits, %scratch, %state temperature %t top_k %k top_p %t into %token : memref<?xf32>, memref<?xf32>, memref<1xi64>, memref<1xi32>
  return
}
