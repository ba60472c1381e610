// RUN: lispier run --from=module --target=sim %s | FileCheck %s --implicit-check-not={{.}}
// RUN: sed 's/%av = vector.load %a.%i, /%av = vector.load %a[%lane, /' %s > %t.mlir
// RUN: sed 's/%msmall = arith.constant 16/%msmall = arith.constant 32/' %t.mlir > %t.2.mlir
// RUN: not lispier run --from=module --target=sim %t.2.mlir 2>&1 | FileCheck %s --check-prefix=HALVES

// The fragments of v_wmma of gfx11 as AMD's RDNA 3 ISA gives them: both halves of the warp hold the operands.
// CHECK: 0 wrong
// HALVES: error[sim-matrix]: the upper half of the warp holds other operands than the lower, whose copies they are
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @small(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %lane = gpu.thread_id x
      %i = arith.remui %lane, %c16 : index
      %part = arith.divui %lane, %c16 : index
      %k = arith.constant 0 : index
      %av = vector.load %a[%i, %k] : memref<?x?xbf16>, vector<16xbf16>
      %bv = vector.load %b[%i, %k] : memref<?x?xbf16>, vector<16xbf16>
      %ones = arith.constant dense<1.0> : vector<8xf32>
      %d = amdgpu.wmma 16x16x16 %av * %bv + %ones : vector<16xbf16>, vector<16xbf16>, vector<8xf32>
      %cn = arith.constant 8 : index
      scf.for %e = %c0 to %cn step %c1 {
        %twice = arith.muli %e, %c2 : index
        %row = arith.addi %twice, %part : index
        %x = vector.extract %d[%e] : f32 from vector<8xf32>
        memref.store %x, %c[%row, %i] : memref<?x?xf32>
      }
      gpu.return
    }
  }
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.mlir.global internal constant @format("%ld wrong\0A\00")
  func.func @fill(%m: memref<?x?xbf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %c11 = arith.constant 11 : index
    %rows = memref.dim %m, %c0 : memref<?x?xbf16>
    %columns = memref.dim %m, %c1 : memref<?x?xbf16>
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %columns step %c1 {
        %p = arith.muli %i, %c7 : index
        %q = arith.muli %j, %c5 : index
        %s = arith.addi %p, %q : index
        %r = arith.remui %s, %c11 : index
        %w = arith.index_cast %r : index to i32
        %f = arith.sitofp %w : i32 to bf16
        memref.store %f, %m[%i, %j] : memref<?x?xbf16>
      }
    }
    return
  }
  // Prints how many elements of c are not the sums of products of the rows of a and b, plus 1.
  func.func @check(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %rows = memref.dim %a, %c0 : memref<?x?xbf16>
    %columns = memref.dim %b, %c0 : memref<?x?xbf16>
    %depth = memref.dim %a, %c1 : memref<?x?xbf16>
    %wrong = scf.for %i = %c0 to %rows step %c1 iter_args(%w0 = %c0) -> (index) {
      %w1 = scf.for %j = %c0 to %columns step %c1 iter_args(%w2 = %w0) -> (index) {
        %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %one) -> (f32) {
          %x = memref.load %a[%i, %k] : memref<?x?xbf16>
          %y = memref.load %b[%j, %k] : memref<?x?xbf16>
          %xf = arith.extf %x : bf16 to f32
          %yf = arith.extf %y : bf16 to f32
          %p = arith.mulf %xf, %yf : f32
          %t = arith.addf %s, %p : f32
          scf.yield %t : f32
        }
        %got = memref.load %c[%i, %j] : memref<?x?xf32>
        %differs = arith.cmpf une, %got, %sum : f32
        %n = arith.index_castui %differs : i1 to index
        %w3 = arith.addi %w2, %n : index
        scf.yield %w3 : index
      }
      scf.yield %w1 : index
    }
    %f = llvm.mlir.addressof @format : !llvm.ptr
    %n = arith.index_cast %wrong : index to i64
    %r = llvm.call @printf(%f, %n) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
    return
  }
  func.func @main() {
    %one = arith.constant 1 : index
    %msmall = arith.constant 16 : index
    %ksmall = arith.constant 16 : index
    %asmall = gpu.alloc(%msmall, %ksmall) : memref<?x?xbf16>
    %bsmall = gpu.alloc(%msmall, %ksmall) : memref<?x?xbf16>
    %csmall = gpu.alloc(%msmall, %msmall) : memref<?x?xf32>
    call @fill(%asmall) : (memref<?x?xbf16>) -> ()
    call @fill(%bsmall) : (memref<?x?xbf16>) -> ()
    %tsmall = arith.constant 32 : index
    gpu.launch_func @kernels::@small blocks in (%one, %one, %one) threads in (%tsmall, %one, %one) args(%asmall : memref<?x?xbf16>, %bsmall : memref<?x?xbf16>, %csmall : memref<?x?xf32>)
    call @check(%asmall, %bsmall, %csmall) : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>) -> ()
    return
  }
}
