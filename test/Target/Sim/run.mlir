// RUN: lispier run --from=module --target=sim %s | FileCheck %s
// RUN: lispier run --from=module --target=cpu %s | FileCheck %s

// Two blocks of 64 threads turn their ids round through shared memory, then add up; 0 + ... + 63 = 2016.
// CHECK: 2016
func.func private @printF32(f32)
func.func private @printNewline()
func.func @main() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c2 = arith.constant 2 : index
  %m = gpu.alloc() : memref<128xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             workgroup(%s : memref<64xf32, #gpu.address_space<workgroup>>) {
    %c63 = arith.constant 63 : index
    %base = arith.muli %bx, %sx : index
    %i = arith.addi %base, %tx : index
    %ti = arith.index_cast %tx : index to i32
    %f = arith.sitofp %ti : i32 to f32
    memref.store %f, %s[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c63, %tx : index
    %g = memref.load %s[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    %z = gpu.all_reduce add %g {} : (f32) -> f32
    memref.store %z, %m[%i] : memref<128xf32>
    gpu.terminator
  }
  %v = memref.load %m[%c64] : memref<128xf32>
  call @printF32(%v) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
