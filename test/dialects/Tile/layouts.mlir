// RUN: lispier-opt %s | lispier-opt | FileCheck %s

// Layouts have names.
// CHECK: #[[LAYOUT:layout[0-9]*]] = #tile.layout<registers = {{\[\[0, 1\]\]}}, lanes = {{\[\[0, 2\], \[0, 4\], \[0, 8\], \[0, 16\], \[1, 0\]\]}}, warps = {{\[\[2, 0\]\]}}, repeats = [1, 3]>
#layout = #tile.layout<registers = [[0, 1]], lanes = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warps = [[2, 0]], repeats = [1, 3]>
// CHECK: #[[COPIES:layout[0-9]*]] = #tile.layout<registers = [], lanes = {{\[\[0\]\]}}, warps = [], repeats = [1]>
#copies = #tile.layout<registers = [], lanes = [[0]], warps = [], repeats = [1]>

// CHECK-LABEL: func.func @names
func.func @names(%v: vector<4x96xf32>, %m: memref<?xf32>, %i: index, %p: f32) {
  // CHECK: tile.convert %{{.*}} : vector<4x96xf32> to #[[LAYOUT]]
  %a = tile.convert %v : vector<4x96xf32> to #layout
  // CHECK: arith.addf %{{.*}} {tile.layout = #[[LAYOUT]]}
  %b = arith.addf %a, %a {tile.layout = #layout} : vector<4x96xf32>
  // CHECK: vector.transfer_read {{.*}} {tile.layout = #[[COPIES]], tile.vector = 1 : i64}
  %c = vector.transfer_read %m[%i], %p {tile.layout = #copies, tile.vector = 1 : i64} : memref<?xf32>, vector<1xf32>
  return
}
