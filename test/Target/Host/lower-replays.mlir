// RUN: lispier-opt %s -lispier-lower-replays | FileCheck %s

// CHECK-NOT: device.replay
// CHECK-LABEL: func.func @in_a_loop
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: call @lispier_rt_device_step_begin(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi
// CHECK: call @lispier_rt_device_step_end(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK-NEXT: scf.yield %[[NEXT]]
func.func @in_a_loop(%n: index, %one: index, %start: i32) -> i32 {
  %sum = scf.for %i = %one to %n step %one iter_args(%s = %start) -> i32 {
    %next = device.replay -> i32 {
      %more = arith.addi %s, %s : i32
      device.yield %more : i32
    }
    scf.yield %next : i32
  }
  return %sum : i32
}

// A body that has been lowered to blocks: wherever it ends, the step ends.
// CHECK-LABEL: func.func @blocks
// CHECK: call @lispier_rt_device_step_begin
// CHECK: cf.br ^[[BODY:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: cf.cond_br %arg0, ^[[YES:bb[0-9]+]], ^[[NO:bb[0-9]+]]
// CHECK: ^[[YES]]:
// CHECK: call @lispier_rt_device_step_end
// CHECK-NEXT: cf.br ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[NO]]:
// CHECK: call @lispier_rt_device_step_end
// CHECK-NEXT: cf.br ^[[AFTER]]
// CHECK: ^[[AFTER]]:
// CHECK-NEXT: return
func.func @blocks(%c: i1) {
  device.replay {
    cf.cond_br %c, ^yes, ^no
  ^yes:
    device.yield
  ^no:
    device.yield
  }
  return
}
