// Products of four warps read their factors in the slots of a pipelined loop: b as it lies, [k n], is read transposed.
// RUN: lispier --from=tiles --target=cuda:sm_90a --emit=ptx %s > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WAIT < %t.ptx
// Other chips take mma.sync.
// RUN: lispier --from=tiles --target=cuda:sm_80 --emit=ptx %s | FileCheck %s --check-prefix=OTHER
// RUN: lispier --from=tiles --target=cuda:sm_90 --emit=ptx %s | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: wgmma
// OTHER: mma.sync.aligned.m16n8k16
// OTHER-NOT: wgmma

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Products may read what threads have copied after the fence and the barrier; 8192 bytes (512 units) lie between 64
    // columns of b, and 1024 between eight rows: 4611686293305294848 + 512 * 65536. Two products of 64 rows a step
    // of 16, and sums that nothing uses before the wait.
    // CHECK: .visible .entry product(
    // WAIT: cp.async.wait_group 1
    // WAIT-NEXT: fence.proxy.async.shared::cta
    // WAIT-NEXT: bar.sync
    // CHECK-NOT: ldmatrix
    // CHECK: wgmma.fence.sync.aligned
    // CHECK: 4611686293338849280
    // CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, 1, 1, 1, 0, 1;
    // CHECK-NOT: wgmma.mma_async
    // CHECK: wgmma.wait_group.sync.aligned 0
    // CHECK: st.global.v2
    gpu.func @product(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %c: memref<1024x1024xf32>) kernel attributes {tile.program = #tile.program<warps = 4, stages = 3>} {
      %i0 = gpu.block_id x
      %j0 = gpu.block_id y
      %c128 = arith.constant 128 : index
      %i = arith.muli %i0, %c128 : index
      %j = arith.muli %j0, %c128 : index
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %c1024 = arith.constant 1024 : index
      %p = arith.constant 0.0 : bf16
      %zero = arith.constant dense<0.0> : vector<128x128xf32>
      %r = scf.for %k = %c0 to %c1024 step %c64 iter_args(%acc = %zero) -> vector<128x128xf32> {
        %av = vector.transfer_read %a[%i, %k], %p {in_bounds = [true, true], tile.vector = 8 : i64} : memref<1024x1024xbf16>, vector<128x64xbf16>
        %bv = vector.transfer_read %b[%k, %j], %p {in_bounds = [true, true], tile.vector = 8 : i64} : memref<1024x1024xbf16>, vector<64x128xbf16>
        %s = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %acc : vector<128x64xbf16>, vector<64x128xbf16> into vector<128x128xf32>
        scf.yield %s : vector<128x128xf32>
      }
      vector.transfer_write %r, %c[%i, %j] {in_bounds = [true, true], tile.vector = 4 : i64} : vector<128x128xf32>, memref<1024x1024xf32>
      gpu.return
    }
  }
  func.func @launch(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %c: memref<1024x1024xf32>) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    gpu.launch_func @kernels::@product blocks in (%c8, %c8, %c1) threads in (%c1, %c1, %c1) args(%a : memref<1024x1024xbf16>, %b : memref<1024x1024xbf16>, %c : memref<1024x1024xf32>)
    return
  }
}
