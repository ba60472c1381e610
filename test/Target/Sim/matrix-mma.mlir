// RUN: lispier run --from=module --target=sim %s | FileCheck %s --implicit-check-not={{.}}

// RUN: sed '0,/^ *gpu.barrier/{/^ *gpu.barrier/d}' %s > %t.mlir
// RUN: not lispier run --from=module --target=sim %t.mlir 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: sed '/nvgpu.device_async_wait/d' %s > %t.mlir
// RUN: not lispier run --from=module --target=sim %t.mlir 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed 's/%half = arith.remui %lane, %c2/%half = arith.remui %c2, %c2/' %s > %t.mlir
// RUN: not lispier run --from=module --target=sim %t.mlir 2>&1 | FileCheck %s --check-prefix=WRITERS
// RUN: sed 's/%c32, %c1, %c1) args(%a/%c16, %c1, %c1) args(%a/' %s > %t.mlir
// RUN: not lispier run --from=module --target=sim %t.mlir 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: sed 's/%lhalf = arith.divui %lane, %c16/%lhalf = arith.remui %lane, %c16/' %s > %t.mlir
// RUN: not lispier run --from=module --target=sim %t.mlir 2>&1 | FileCheck %s --check-prefix=BOUNDS

// A thread reads rows that others have copied.
// BARRIER: error[sim-unwritten]: shared memory is read at byte 32 before anyone wrote it
// WAIT: ldmatrix {{.*}}
// WAIT: note: in kernel `product`
// WAIT: note: the copy begins here, in thread (0, 0, 0)
// WRITERS: error[sim-race]: shared memory is written at byte 0 without a barrier since thread (0, 0, 0) wrote it
// LANES: error[sim-unwritten]
// BOUNDS: error[sim-bounds]: elements 16 to 23 of dimension 1 are outside its size 16

// The fragments of mma.sync.m16n8k16 as PTX ISA 9.7.14 gives them, by ldmatrix and by plain loads; the product of two matrices
// of small integers is exact.
// CHECK: 0 wrong
// CHECK-NEXT: 0 wrong
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<16x16xbf16>, %b: memref<8x16xbf16>, %c: memref<16x8xf32>) workgroup(%sa: memref<16x16xbf16, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %lane = gpu.thread_id x
      %group = arith.divui %lane, %c4 : index
      %in = arith.remui %lane, %c4 : index
      %k0 = arith.muli %in, %c2 : index
      %k8 = arith.addi %k0, %c8 : index
      %group8 = arith.addi %group, %c8 : index
      // Eight elements a lane to shared memory, by an asynchronous copy of 16 bytes.
      %row = arith.divui %lane, %c2 : index
      %half = arith.remui %lane, %c2 : index
      %column = arith.muli %half, %c8 : index
      %copy = nvgpu.device_async_copy %a[%row, %column], %sa[%row, %column], 8 : memref<16x16xbf16> to memref<16x16xbf16, #gpu.address_space<workgroup>>
      %copies = nvgpu.device_async_create_group %copy
      nvgpu.device_async_wait %copies
      gpu.barrier
      // Lane l has the address of row l % 16, from its upper half of columns for the lanes after.
      %lrow = arith.remui %lane, %c16 : index
      %lhalf = arith.divui %lane, %c16 : index
      %lcolumn = arith.muli %lhalf, %c8 : index
      %words = nvgpu.ldmatrix %sa[%lrow, %lcolumn] {numTiles = 4 : i32, transpose = false} : memref<16x16xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
      %p0 = vector.extract %words[0] : vector<2xbf16> from vector<4x2xbf16>
      %p1 = vector.extract %words[1] : vector<2xbf16> from vector<4x2xbf16>
      %p2 = vector.extract %words[2] : vector<2xbf16> from vector<4x2xbf16>
      %p3 = vector.extract %words[3] : vector<2xbf16> from vector<4x2xbf16>
      %v0 = vector.bitcast %p0 : vector<2xbf16> to vector<1xi32>
      %v1 = vector.bitcast %p1 : vector<2xbf16> to vector<1xi32>
      %v2 = vector.bitcast %p2 : vector<2xbf16> to vector<1xi32>
      %v3 = vector.bitcast %p3 : vector<2xbf16> to vector<1xi32>
      %a0 = vector.extract %v0[0] : i32 from vector<1xi32>
      %a1 = vector.extract %v1[0] : i32 from vector<1xi32>
      %a2 = vector.extract %v2[0] : i32 from vector<1xi32>
      %a3 = vector.extract %v3[0] : i32 from vector<1xi32>
      %q0 = vector.load %b[%group, %k0] : memref<8x16xbf16>, vector<2xbf16>
      %q1 = vector.load %b[%group, %k8] : memref<8x16xbf16>, vector<2xbf16>
      %w0 = vector.bitcast %q0 : vector<2xbf16> to vector<1xi32>
      %w1 = vector.bitcast %q1 : vector<2xbf16> to vector<1xi32>
      %b0 = vector.extract %w0[0] : i32 from vector<1xi32>
      %b1 = vector.extract %w1[0] : i32 from vector<1xi32>
      %z = arith.constant 1.0 : f32
      %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%z, %z, %z, %z] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      %n1 = arith.addi %k0, %c1 : index
      memref.store %d0, %c[%group, %k0] : memref<16x8xf32>
      memref.store %d1, %c[%group, %n1] : memref<16x8xf32>
      memref.store %d2, %c[%group8, %k0] : memref<16x8xf32>
      memref.store %d3, %c[%group8, %n1] : memref<16x8xf32>
      gpu.return
    }
    // Transposed by ldmatrix: element (r, c) of an 8 x 8 matrix in lane 4 c + r / 2.
    gpu.func @transposed(%a: memref<8x8xf16>, %c: memref<8x8xf16>) workgroup(%s: memref<8x8xf16, #gpu.address_space<workgroup>>) kernel {
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %lane = gpu.thread_id x
      %row = arith.remui %lane, %c8 : index
      %c0 = arith.constant 0 : index
      %from = arith.divui %lane, %c4 : index
      %quarter = arith.remui %lane, %c4 : index
      %first = arith.muli %quarter, %c2 : index
      %two = vector.load %a[%from, %first] : memref<8x8xf16>, vector<2xf16>
      vector.store %two, %s[%from, %first] : memref<8x8xf16, #gpu.address_space<workgroup>>, vector<2xf16>
      gpu.barrier
      %pair = nvgpu.ldmatrix %s[%row, %c0] {numTiles = 1 : i32, transpose = true} : memref<8x8xf16, #gpu.address_space<workgroup>> -> vector<1x2xf16>
      %flat = vector.shape_cast %pair : vector<1x2xf16> to vector<2xf16>
      %column = arith.divui %lane, %c4 : index
      %in = arith.remui %lane, %c4 : index
      %at = arith.muli %in, %c2 : index
      vector.store %flat, %c[%column, %at] : memref<8x8xf16>, vector<2xf16>
      gpu.return
    }
  }
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.mlir.global internal constant @format("%ld wrong\0A\00")
  func.func @print(%count: index) {
    %f = llvm.mlir.addressof @format : !llvm.ptr
    %n = arith.index_cast %count : index to i64
    %r = llvm.call @printf(%f, %n) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
    return
  }
  func.func @value(%i: index, %j: index) -> bf16 {
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c11 = arith.constant 11 : index
    %p = arith.muli %i, %c7 : index
    %q = arith.muli %j, %c5 : index
    %s = arith.addi %p, %q : index
    %m = arith.remui %s, %c11 : index
    %w = arith.index_cast %m : index to i32
    %f = arith.sitofp %w : i32 to f32
    %t = arith.truncf %f : f32 to bf16
    return %t : bf16
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %a = gpu.alloc() : memref<16x16xbf16>
    %b = gpu.alloc() : memref<8x16xbf16>
    %c = gpu.alloc() : memref<16x8xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      scf.for %k = %c0 to %c16 step %c1 {
        %v = func.call @value(%i, %k) : (index, index) -> bf16
        memref.store %v, %a[%i, %k] : memref<16x16xbf16>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c16 step %c1 {
        %v = func.call @value(%k, %i) : (index, index) -> bf16
        memref.store %v, %b[%i, %k] : memref<8x16xbf16>
      }
    }
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<16x16xbf16>, %b : memref<8x16xbf16>, %c : memref<16x8xf32>)
    %one = arith.constant 1.0 : f32
    %wrong = scf.for %i = %c0 to %c16 step %c1 iter_args(%w0 = %c0) -> (index) {
      %w1 = scf.for %j = %c0 to %c8 step %c1 iter_args(%w2 = %w0) -> (index) {
        %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %one) -> (f32) {
          %x = memref.load %a[%i, %k] : memref<16x16xbf16>
          %y = memref.load %b[%j, %k] : memref<8x16xbf16>
          %xf = arith.extf %x : bf16 to f32
          %yf = arith.extf %y : bf16 to f32
          %p = arith.mulf %xf, %yf : f32
          %t = arith.addf %s, %p : f32
          scf.yield %t : f32
        }
        %got = memref.load %c[%i, %j] : memref<16x8xf32>
        %differs = arith.cmpf une, %got, %sum : f32
        %n = arith.index_castui %differs : i1 to index
        %w3 = arith.addi %w2, %n : index
        scf.yield %w3 : index
      }
      scf.yield %w1 : index
    }
    func.call @print(%wrong) : (index) -> ()
    %t = gpu.alloc() : memref<8x8xf16>
    %u = gpu.alloc() : memref<8x8xf16>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c8 step %c1 {
        %r = arith.muli %i, %c8 : index
        %e = arith.addi %r, %k : index
        %w = arith.index_cast %e : index to i32
        %f = arith.sitofp %w : i32 to f16
        memref.store %f, %t[%i, %k] : memref<8x8xf16>
      }
    }
    gpu.launch_func @kernels::@transposed blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%t : memref<8x8xf16>, %u : memref<8x8xf16>)
    %wrong2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%w0 = %c0) -> (index) {
      %w1 = scf.for %j = %c0 to %c8 step %c1 iter_args(%w2 = %w0) -> (index) {
        %x = memref.load %t[%i, %j] : memref<8x8xf16>
        %y = memref.load %u[%j, %i] : memref<8x8xf16>
        %differs = arith.cmpf une, %x, %y : f16
        %n = arith.index_castui %differs : i1 to index
        %w3 = arith.addi %w2, %n : index
        scf.yield %w3 : index
      }
      scf.yield %w1 : index
    }
    func.call @print(%wrong2) : (index) -> ()
    return
  }
}
