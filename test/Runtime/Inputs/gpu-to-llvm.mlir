module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @places(%out: memref<8xi32>, %scale: i32) kernel {
      gpu.return
    }
  }
  func.func private @printI64(i64)
  func.func private @printNewline()
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %scale = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %host = memref.alloc() : memref<8xi32>
    scf.for %i = %c0 to %c1 step %c1 {
      %t0 = gpu.wait async
      %m, %t1 = gpu.alloc async [%t0] () : memref<8xi32>
      %t2 = gpu.memset async [%t1] %m, %zero : memref<8xi32>, i32
      %t3 = gpu.launch_func async [%t2] @kernels::@places blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
          args(%m : memref<8xi32>, %scale : i32)
      %t4 = gpu.memcpy async [%t3] %host, %m : memref<8xi32>, memref<8xi32>
      %t5 = gpu.dealloc async [%t4] %m : memref<8xi32>
      gpu.wait [%t5]
    }
    %last = memref.load %host[%c7] : memref<8xi32>
    %wide = arith.extsi %last : i32 to i64
    func.call @printI64(%wide) : (i64) -> ()
    func.call @printNewline() : () -> ()
    return
  }
}
