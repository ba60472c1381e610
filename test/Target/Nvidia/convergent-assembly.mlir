// A wait for other threads, between two branches by one condition. To thread the first branch's paths through the second
// would make two copies of the wait, each reached by only some threads.
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=cuda:sm_90a format=ptx output=%t' -o /dev/null
// RUN: FileCheck %s --input-file=%t

gpu.module @kernels {
  // CHECK-LABEL: .entry waits(
  // CHECK: mbarrier.try_wait.parity
  // CHECK-NOT: mbarrier.try_wait.parity
  // CHECK: ret
  gpu.func @waits(%isFirst: i1, %numbers: memref<4xf32>, %barrier: !llvm.ptr<3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %phase = arith.constant 0 : i32
    %ticks = arith.constant 1000 : i32
    %x = memref.load %numbers[%c0] : memref<4xf32>
    cf.cond_br %isFirst, ^first, ^wait
  ^first:
    memref.store %x, %numbers[%c1] : memref<4xf32>
    cf.br ^wait
  ^wait:
    nvvm.mbarrier.try_wait.parity %barrier, %phase, %ticks : !llvm.ptr<3>, i32, i32
    cf.cond_br %isFirst, ^second, ^end
  ^second:
    %y = arith.mulf %x, %x : f32
    memref.store %y, %numbers[%c0] : memref<4xf32>
    cf.br ^end
  ^end:
    gpu.return
  }
}
