// RUN: lispier-opt %s -lispier-lay-out-tiles -canonicalize | FileCheck %s
// RUN: lispier-opt %s -lispier-lay-out-tiles -canonicalize | lispier-opt -lispier-lay-out-tiles -canonicalize | FileCheck %s

// Rows of 64 in two vectors of 4 a thread: half a warp has a row.
// CHECK-DAG: #[[ROWS:layout[0-9]*]] = #tile.layout<registers = {{\[\[0, 1\], \[0, 2\]\]}}, lanes = {{\[\[0, 4\], \[0, 8\], \[0, 16\], \[0, 32\], \[1, 0\]\]}}, warps = {{\[\[2, 0\]\]}}, repeats = [1, 1]>
// CHECK-DAG: #[[SUMS:layout[0-9]*]] = #tile.layout<registers = [], lanes = {{\[\[0\], \[0\], \[0\], \[0\], \[1\]\]}}, warps = {{\[\[2\]\]}}, repeats = [1]>
// CHECK-DAG: #[[TURNED:layout[0-9]*]] = #tile.layout<registers = {{\[\[1, 0\], \[2, 0\]\]}}, lanes = {{\[\[4, 0\], \[8, 0\], \[16, 0\], \[32, 0\], \[0, 1\]\]}}, warps = {{\[\[0, 2\]\]}}, repeats = [1, 1]>
// CHECK-DAG: #[[SINGLE:layout[0-9]*]] = #tile.layout<registers = {{\[\[0, 32\], \[2, 0\]\]}}, lanes = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[0, 8\], \[0, 16\]\]}}, warps = {{\[\[1, 0\]\]}}, repeats = [1, 1]>
// CHECK-DAG: #[[SINGLE_SUMS:layout[0-9]*]] = #tile.layout<registers = {{\[\[2\]\]}}, lanes = {{\[\[0\], \[0\], \[0\], \[0\], \[0\]\]}}, warps = {{\[\[1\]\]}}, repeats = [1]>
// CHECK-DAG: #[[OWN:layout[0-9]*]] = #tile.layout<registers = {{\[\[2, 0\], \[1, 0\]\]}}, lanes =
// Factors of fused multiply-adds: four neighbours along k in a thread, and rows of either factor in neighbouring lanes,
// so that these are in different banks.
// CHECK-DAG: #[[LEFT:layout[0-9]*]] = #tile.layout<registers = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[16, 0\]\]}}, lanes = {{\[\[0, 0\], \[0, 0\], \[0, 0\], \[1, 0\], \[2, 0\]\]}}, warps = {{\[\[4, 0\], \[8, 0\]\]}}, repeats = [1, 1]>
// CHECK-DAG: #[[RIGHT:layout[0-9]*]] = #tile.layout<registers = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[8, 0\], \[16, 0\]\]}}, lanes = {{\[\[1, 0\], \[2, 0\], \[4, 0\], \[0, 0\], \[0, 0\]\]}}, warps = {{\[\[0, 0\], \[0, 0\]\]}}, repeats = [1, 1]>
// CHECK-DAG: #[[CHUNK:layout[0-9]*]] = #tile.layout<registers = {{\[\[1\], \[2\]\]}}, lanes = {{\[\[4\], \[8\], \[16\], \[32\], \[64\]\]}}, warps = {{\[\[128\], \[256\], \[512\], \[1024\]\]}}, repeats = [5]>
#own = #tile.layout<registers = [[2, 0], [1, 0]], lanes = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warps = [[0, 32]], repeats = [1, 1]>

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {device.target = "sim"} {
  gpu.module @kernels {
    // A reduction keeps the places of what it reduces, so that its broadcast fits without a move. Constants, broadcasts
    // and masks are made where they are used.
    // CHECK-LABEL: gpu.func @rows
    gpu.func @rows(%x: memref<4x64xf32>, %y: memref<4x64xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<4xf32>
      // CHECK: %[[V:.*]] = vector.transfer_read {{.*}} tile.layout = #[[ROWS]]
      %v = vector.transfer_read %x[%c0, %c0], %p {tile.vector = 4 : i64} : memref<4x64xf32>, vector<4x64xf32>
      // CHECK: %[[S:.*]] = vector.multi_reduction <add>, %[[V]], %{{.*}} {tile.layout = #[[SUMS]]}
      %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<4x64xf32> to vector<4xf32>
      %c = vector.shape_cast %s : vector<4xf32> to vector<4x1xf32>
      // CHECK: %[[B:.*]] = vector.broadcast %{{.*}} {tile.layout = #[[ROWS]]}
      %b = vector.broadcast %c : vector<4x1xf32> to vector<4x64xf32>
      // CHECK-NOT: tile.convert
      // CHECK: %[[D:.*]] = arith.subf %[[V]], %[[B]] {tile.layout = #[[ROWS]]}
      %d = arith.subf %v, %b : vector<4x64xf32>
      // CHECK: vector.transfer_write %[[D]]
      vector.transfer_write %d, %y[%c0, %c0] {tile.vector = 4 : i64} : vector<4x64xf32>, memref<4x64xf32>
      gpu.return
    }
    // A transpose has the same places, which would scatter its rows in memory: it moves, before the loop that writes it.
    // CHECK-LABEL: gpu.func @turned
    gpu.func @turned(%x: memref<4x64xf32>, %y: memref<64x4xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %p = arith.constant 0.0 : f32
      // CHECK: %[[V:.*]] = vector.transfer_read
      %v = vector.transfer_read %x[%c0, %c0], %p {tile.vector = 4 : i64} : memref<4x64xf32>, vector<4x64xf32>
      // CHECK: %[[T:.*]] = vector.transpose %[[V]], [1, 0] {tile.layout = #[[TURNED]]}
      %t = vector.transpose %v, [1, 0] : vector<4x64xf32> to vector<64x4xf32>
      // CHECK-NEXT: %[[M:.*]] = tile.convert %[[T]]
      // CHECK: scf.for
      scf.for %i = %c0 to %n step %c1 {
        // CHECK: vector.transfer_write %[[M]]
        vector.transfer_write %t, %y[%i, %c0] {tile.vector = 4 : i64} : vector<64x4xf32>, memref<64x4xf32>
      }
      gpu.return
    }
    // The user's layout is stronger than what memory would like.
    // CHECK-LABEL: gpu.func @own
    gpu.func @own(%x: memref<4x64xf32>, %y: memref<4x64xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      // CHECK: vector.transfer_read {{.*}}tile.layout = #[[OWN]]
      %v = vector.transfer_read %x[%c0, %c0], %p {tile.vector = 4 : i64} : memref<4x64xf32>, vector<4x64xf32>
      // CHECK: math.exp %{{.*}} {tile.layout = #[[OWN]]}
      %e = math.exp %v {tile.layout = #own} : vector<4x64xf32>
      vector.transfer_write %e, %y[%c0, %c0] {tile.vector = 4 : i64} : vector<4x64xf32>, memref<4x64xf32>
      gpu.return
    }
    // What a loop carries has one layout; the attribute names it for each result.
    // CHECK-LABEL: gpu.func @carried
    gpu.func @carried(%x: memref<?x64xf32>, %y: memref<4x64xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %p = arith.constant 0.0 : f32
      // CHECK: arith.constant {tile.layout = #[[ROWS]]} dense
      %zero = arith.constant dense<0.0> : vector<4x64xf32>
      %r:2 = scf.for %i = %c0 to %n step %c4 iter_args(%t = %zero, %k = %c0) -> (vector<4x64xf32>, index) {
        %v = vector.transfer_read %x[%i, %c0], %p {tile.vector = 4 : i64} : memref<?x64xf32>, vector<4x64xf32>
        // CHECK: arith.addf %{{.*}} {tile.layout = #[[ROWS]]}
        %s = arith.addf %t, %v : vector<4x64xf32>
        %l = arith.addi %k, %i : index
        scf.yield %s, %l : vector<4x64xf32>, index
      // CHECK: } {tile.layout = [#[[ROWS]], unit]}
      }
      vector.transfer_write %r#0, %y[%r#1, %c0] {tile.vector = 4 : i64} : vector<4x64xf32>, memref<4x64xf32>
      gpu.return
    }
    // A row of 16-bit numbers would be read eight at a time, and the numbers that are added to them are in vectors of 4:
    // what is computed of a small tile is computed again where it is used, so that threads do not wait for each other.
    // CHECK-LABEL: gpu.func @weights
    gpu.func @weights(%x: memref<4x512xf32>, %w: memref<512xbf16>, %y: memref<4x512xf32>) kernel attributes {tile.program = #tile.program<warps = 4>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %q = arith.constant 0.0 : bf16
      // CHECK-NOT: tile.convert
      // CHECK: %[[W:.*]] = vector.transfer_read %{{.*}} tile.layout = #[[WEIGHTS:[a-z0-9]*]], {{.*}} : memref<512xbf16>
      // CHECK: arith.extf %[[W]] {tile.layout = #[[WEIGHTS]]}
      // CHECK-NOT: tile.convert
      // CHECK: vector.transfer_write
      %w0 = vector.transfer_read %w[%c0], %q {tile.vector = 8 : i64} : memref<512xbf16>, vector<512xbf16>
      %w1 = arith.extf %w0 : vector<512xbf16> to vector<512xf32>
      %v = vector.transfer_read %x[%c0, %c0], %p {tile.vector = 4 : i64} : memref<4x512xf32>, vector<4x512xf32>
      %b = vector.broadcast %w1 : vector<512xf32> to vector<4x512xf32>
      %d = arith.addf %v, %b : vector<4x512xf32>
      vector.transfer_write %d, %y[%c0, %c0] {tile.vector = 4 : i64} : vector<4x512xf32>, memref<4x512xf32>
      gpu.return
    }
    // A reduction behind a loop follows what the loop carries, whose layout is known only by what is read in the loop.
    // CHECK-LABEL: gpu.func @behind
    gpu.func @behind(%x: memref<?x64xf32>, %y: memref<4xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %p = arith.constant 0.0 : f32
      %zero = arith.constant dense<0.0> : vector<4x64xf32>
      %zeros = arith.constant dense<0.0> : vector<4xf32>
      %r = scf.for %i = %c0 to %n step %c4 iter_args(%t = %zero) -> (vector<4x64xf32>) {
        // CHECK: vector.transfer_read {{.*}}tile.layout = #[[SINGLE]]
        %v = vector.transfer_read %x[%i, %c0], %p {tile.vector = 1 : i64} : memref<?x64xf32>, vector<4x64xf32>
        %s = arith.addf %t, %v : vector<4x64xf32>
        scf.yield %s : vector<4x64xf32>
      }
      // CHECK: vector.multi_reduction {{.*}} {tile.layout = #[[SINGLE_SUMS]]}
      %sum = vector.multi_reduction <add>, %r, %zeros [1] : vector<4x64xf32> to vector<4xf32>
      vector.transfer_write %sum, %y[%c0] {tile.vector = 1 : i64} : vector<4xf32>, memref<4xf32>
      gpu.return
    }

    // CHECK-LABEL: gpu.func @factors(
    gpu.func @factors(%x: memref<32x8xf32>, %y: memref<32x8xf32>, %z: memref<32x32xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<32x32xf32>
      %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true], tile.vector = 4 : i64} : memref<32x8xf32>, vector<32x8xf32>
      %w = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true], tile.vector = 4 : i64} : memref<32x8xf32>, vector<32x8xf32>
      // CHECK: %[[V:.*]] = tile.convert %{{.*}} to #[[LEFT]]
      // CHECK: %[[W:.*]] = tile.convert %{{.*}} to #[[RIGHT]]
      // CHECK: vector.contract {{.*}} %[[V]], %[[W]]
      %s = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
                            kind = #vector.kind<add>} %v, %w, %zeros
         : vector<32x8xf32>, vector<32x8xf32> into vector<32x32xf32>
      vector.transfer_write %s, %z[%c0, %c0] {in_bounds = [true, true], tile.vector = 4 : i64} : vector<32x32xf32>, memref<32x32xf32>
      gpu.return
    }

    // Numbers that are made wider move before that, with half of the accesses.
    // CHECK-LABEL: gpu.func @widened(
    gpu.func @widened(%x: memref<256x16xbf16>, %y: memref<32x16xf32>, %z: memref<256x32xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %q = arith.constant 0.0 : bf16
      %zeros = arith.constant dense<0.0> : vector<256x32xf32>
      %u = vector.transfer_read %x[%c0, %c0], %q {in_bounds = [true, true], tile.vector = 8 : i64} : memref<256x16xbf16>, vector<256x16xbf16>
      %v = arith.extf %u : vector<256x16xbf16> to vector<256x16xf32>
      %w = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true], tile.vector = 4 : i64} : memref<32x16xf32>, vector<32x16xf32>
      // CHECK: %[[V:.*]] = tile.convert %{{.*}} : vector<256x16xbf16>
      // CHECK: %[[WIDE:.*]] = arith.extf %[[V]]
      // CHECK: vector.contract {{.*}} %[[WIDE]],
      %s = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
                            kind = #vector.kind<add>} %v, %w, %zeros
         : vector<256x16xf32>, vector<32x16xf32> into vector<256x32xf32>
      vector.transfer_write %s, %z[%c0, %c0] {in_bounds = [true, true], tile.vector = 4 : i64} : vector<256x32xf32>, memref<256x32xf32>
      gpu.return
    }

    // What is computed of memory only to be combined with a product has the product's places: the narrow tile is read or
    // moved, not what is made of it.
    // CHECK-LABEL: gpu.func @derivative(
    // CHECK: %[[S:.*]] = vector.contract
    // CHECK-NOT: tile.convert {{.*}} : vector<64x64xf32>
    // CHECK: arith.divf %[[S]],
    gpu.func @derivative(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %u: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %q = arith.constant 0.0 : bf16
      %zeros = arith.constant dense<0.0> : vector<64x64xf32>
      %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true], tile.vector = 4 : i64} : memref<64x8xf32>, vector<64x8xf32>
      %w = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true], tile.vector = 4 : i64} : memref<64x8xf32>, vector<64x8xf32>
      %s = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
                            kind = #vector.kind<add>} %v, %w, %zeros
         : vector<64x8xf32>, vector<64x8xf32> into vector<64x64xf32>
      %n = vector.transfer_read %u[%c0, %c0], %q {in_bounds = [true, true], tile.vector = 8 : i64} : memref<64x64xbf16>, vector<64x64xbf16>
      %e = arith.extf %n : vector<64x64xbf16> to vector<64x64xf32>
      %f = math.exp %e : vector<64x64xf32>
      %g = arith.addf %f, %e : vector<64x64xf32>
      %d = arith.divf %s, %g : vector<64x64xf32>
      vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true], tile.vector = 4 : i64} : vector<64x64xf32>, memref<64x64xf32>
      gpu.return
    }

    // 10,240 numbers of 16 bits are no power of two of vectors of 8: of 4, so that no two of 16 warps have the same.
    // CHECK-LABEL: gpu.func @chunk(
    // CHECK: vector.transfer_read {{.*}} tile.layout = #[[CHUNK]]
    gpu.func @chunk(%x: memref<10240xbf16>, %y: memref<10240xbf16>) kernel attributes {tile.program = #tile.program<warps = 16>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : bf16
      %v = vector.transfer_read %x[%c0], %p {in_bounds = [true], tile.vector = 8 : i64} : memref<10240xbf16>, vector<10240xbf16>
      vector.transfer_write %v, %y[%c0] {in_bounds = [true], tile.vector = 8 : i64} : vector<10240xbf16>, memref<10240xbf16>
      gpu.return
    }
  }
}
