// RUN: lispier-opt %s -lispier-plan-memory -canonicalize -split-input-file | FileCheck %s

// a and c are not live at the same time: c has the place of a, and the arena is as large as a (or c) and b.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[T:.*]]: index
// CHECK: %[[N:.*]] = arith.maxsi %[[T]], %c0
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c768
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[BYTES]]) {alignment = 64 : i64, group.memory_plan = "for 3 tensors of `chain`\0A{{.*}}plan-memory.mlir:21:8: note: f32 [n0 128], 512 n0 bytes\0A{{.*}}:25:8: note: f32 [n0 128], 512 n0 bytes\0A{{.*}}:23:8: note: f32 [n0 64], 256 n0 bytes"} : memref<?xi8>
// CHECK: %[[B:.*]] = arith.muli %[[N]], %c512{{.*}}
// CHECK: memref.view %[[ARENA]][%c0][%[[T]]] {group.intermediate} : memref<?xi8> to memref<?x128xf32>
// CHECK: memref.view %[[ARENA]][%[[B]]][%[[T]]] {group.intermediate} : memref<?xi8> to memref<?x64xf32>
// CHECK: memref.view %[[ARENA]][%c0][%[[T]]] {group.intermediate} : memref<?xi8> to memref<?x128xf32>
// CHECK: call @use3
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func private @use1(memref<?x128xf32>)
func.func private @use2(memref<?x128xf32>, memref<?x64xf32>)
func.func private @use3(memref<?x64xf32>, memref<?x128xf32>)
func.func @chain(%t: index) {
  %a = memref.alloc(%t) {group.intermediate} : memref<?x128xf32>
  call @use1(%a) : (memref<?x128xf32>) -> ()
  %b = memref.alloc(%t) {group.intermediate} : memref<?x64xf32>
  call @use2(%a, %b) : (memref<?x128xf32>, memref<?x64xf32>) -> ()
  %c = memref.alloc(%t) {group.intermediate} : memref<?x128xf32>
  call @use3(%b, %c) : (memref<?x64xf32>, memref<?x128xf32>) -> ()
  memref.dealloc %a : memref<?x128xf32>
  memref.dealloc %b : memref<?x64xf32>
  memref.dealloc %c : memref<?x128xf32>
  return
}

// -----

// Sizes that cannot be compared: c is behind the larger of the two others, which only the run knows, at a multiple of
// 256 bytes.
// CHECK-LABEL: func.func @unknown(
// CHECK: %[[ARENA:.*]] = memref.alloc
// CHECK: %[[END:.*]] = arith.andi %{{.*}}, %c-256
// CHECK: memref.view %[[ARENA]][%c0]
// CHECK: memref.view %[[ARENA]][%[[END]]][
func.func private @use(memref<?xf32>, memref<?xf32>)
func.func @unknown(%m: index, %n: index) {
  %a = memref.alloc(%m) {group.intermediate} : memref<?xf32>
  %b = memref.alloc(%n) {group.intermediate} : memref<?xf32>
  call @use(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}

// -----

// An intermediate of a loop's body is allocated before the loop. Its size is computed there.
// CHECK-LABEL: func.func @loop(
// CHECK: memref.dim
// CHECK: memref.alloc({{.*}}) {alignment = 64 : i64, {{.*}}} : memref<?xi8>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: memref.view
// CHECK-NOT: dealloc
// CHECK: }
// CHECK: memref.dealloc
func.func private @use(memref<?xf32>)
func.func @loop(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.dim %x, %c0 : memref<?xf32>
    %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
    func.call @use(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
  }
  return
}

// -----

// Memory that is not planned: the program's own, results, what a loop carries, and what is as large as a loop's index.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.view
func.func private @use(memref<?xf32>)
func.func @others(%t: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%t) : memref<?xf32>
  %result = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  %carried = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  %last = scf.for %i = %c0 to %t step %c1 iter_args(%m = %carried) -> memref<?xf32> {
    %a = memref.alloc(%i) {group.intermediate} : memref<?xf32>
    func.call @use(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    scf.yield %m : memref<?xf32>
  }
  func.call @use(%last) : (memref<?xf32>) -> ()
  memref.dealloc %carried : memref<?xf32>
  memref.dealloc %own : memref<?xf32>
  return %result : memref<?xf32>
}

// -----

// Static sizes: the arena is static. The first is live through the loop, in which it is used.
// CHECK-LABEL: func.func @static(
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, {{.*}}} : memref<512xi8>
// CHECK: memref.view %[[ARENA]][%c0][] {{.*}} to memref<16xf32>
// CHECK: memref.view %[[ARENA]][%c256][] {{.*}} to memref<3xf32>
func.func private @use(memref<16xf32>)
func.func private @use3(memref<3xf32>)
func.func @static(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() {group.intermediate} : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    func.call @use(%a) : (memref<16xf32>) -> ()
    %b = memref.alloc() {group.intermediate} : memref<3xf32>
    func.call @use3(%b) : (memref<3xf32>) -> ()
    memref.dealloc %b : memref<3xf32>
  }
  memref.dealloc %a : memref<16xf32>
  return
}

// -----

// The arena of a private function is its callers', which compute its size before the call: a loop over calls allocates
// nothing. So is the only intermediate of one that has no arena.
// CHECK-LABEL: func.func private @planned(
// CHECK-SAME: %[[T:.*]]: index, %[[ARENA:.*]]: memref<?xi8> {group.out})
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: memref.view %[[ARENA]]
// CHECK: return
// CHECK-LABEL: func.func private @single(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[OTHER:.*]]: memref<?xf32> {group.out})
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: call @use(%[[X]], %[[OTHER]])
// CHECK-LABEL: func.func @calls(
// CHECK: memref.alloc({{.*}}) {alignment = 64 : i64, group.memory_plan = {{.*}}} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: call @planned(%{{.*}}, %{{.*}}) : (index, memref<?xi8>) -> ()
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: call @single(%{{.*}}, %{{.*}}) : (memref<?xf32>, memref<?xf32>) -> ()
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: }
// CHECK: memref.dealloc
// CHECK: return
func.func private @use(memref<?xf32>, memref<?xf32>)
func.func private @planned(%t: index) {
  %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  %b = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  call @use(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}
func.func private @single(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  call @use(%x, %a) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  return
}
func.func @calls(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @planned(%n) : (index) -> ()
    func.call @single(%x) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// Not that of a function that calls itself, which would be in itself, of one that others call, and of one whose size is
// read from memory.
// CHECK-LABEL: func.func private @recursive(
// CHECK: memref.alloc
// CHECK-LABEL: func.func @exported(
// CHECK: memref.alloc
// CHECK-LABEL: func.func private @read(
// CHECK: memref.alloc
func.func private @use(memref<?xf32>)
func.func private @recursive(%t: index) {
  %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  call @recursive(%t) : (index) -> ()
  memref.dealloc %a : memref<?xf32>
  return
}
func.func @exported(%t: index, %m: memref<1xindex>) {
  %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  call @read(%m) : (memref<1xindex>) -> ()
  memref.dealloc %a : memref<?xf32>
  return
}
func.func private @read(%m: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %t = memref.load %m[%c0] : memref<1xindex>
  %a = memref.alloc(%t) {group.intermediate} : memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  return
}
func.func @main(%t: index, %m: memref<1xindex>) {
  call @exported(%t, %m) : (index, memref<1xindex>) -> ()
  return
}
