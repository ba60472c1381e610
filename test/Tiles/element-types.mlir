// Tiles of each element type. Each result of an op in bf16 is rounded to bf16; products of bf16 and i8 are summed in more bits.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=cpu %s | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // 1 + 2^-8 + 2^-8 is 1 in bf16, as either sum is halfway; in f32 it would be 1 + 2^-7.
    gpu.func @rounded(%y: memref<4xbf16>, %z: memref<4xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %one = arith.constant dense<1.0> : vector<4xbf16>
      %i = vector.step : vector<4xindex>
      %n = arith.index_cast %i : vector<4xindex> to vector<4xi32>
      %f = arith.sitofp %n : vector<4xi32> to vector<4xbf16>
      %small = arith.constant dense<0.00390625> : vector<4xbf16>
      %a = arith.addf %one, %small : vector<4xbf16>
      %b = arith.addf %a, %small : vector<4xbf16>
      %c = arith.mulf %b, %f : vector<4xbf16>
      vector.transfer_write %c, %y[%c0] {in_bounds = [true]} : vector<4xbf16>, memref<4xbf16>
      %w = arith.extf %one : vector<4xbf16> to vector<4xf32>
      %v = arith.extf %small : vector<4xbf16> to vector<4xf32>
      %d = arith.addf %w, %v : vector<4xf32>
      vector.transfer_write %d, %z[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
      gpu.return
    }
    // 100 * 100 does not fit i8; 256 + 1 not bf16.
    gpu.func @products(%y: memref<2x2xi32>, %z: memref<2x2xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %a = arith.constant dense<[[100, 1], [-100, 2]]> : vector<2x2xi8>
      %zeros = arith.constant dense<0> : vector<2x2xi32>
      %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %a, %zeros : vector<2x2xi8>, vector<2x2xi8> into vector<2x2xi32>
      vector.transfer_write %p, %y[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<2x2xi32>
      %b = arith.constant dense<[[16.0, 1.0], [1.0, 0.5]]> : vector<2x2xbf16>
      %none = arith.constant dense<0.0> : vector<2x2xf32>
      %q = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %b, %b, %none : vector<2x2xbf16>, vector<2x2xbf16> into vector<2x2xf32>
      vector.transfer_write %q, %z[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xf32>, memref<2x2xf32>
      gpu.return
    }
    // Bits in memory of the program's own and of the caller, and numbers of 64 bits: 3 i > 4, and a sum over either.
    gpu.func @bits(%m: memref<4xi1>, %y: memref<4xf64>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %no = arith.constant false
      %i = vector.step : vector<4xindex>
      %three = arith.constant dense<3> : vector<4xindex>
      %four = arith.constant dense<4> : vector<4xindex>
      %t = arith.muli %i, %three : vector<4xindex>
      %large = arith.cmpi ugt, %t, %four : vector<4xindex>
      %given = vector.transfer_read %m[%c0], %no {in_bounds = [true]} : memref<4xi1>, vector<4xi1>
      %both = arith.xori %large, %given : vector<4xi1>
      vector.transfer_write %both, %m[%c0] {in_bounds = [true]} : vector<4xi1>, memref<4xi1>
      %all = vector.multi_reduction <and>, %large, %large [] : vector<4xi1> to vector<4xi1>
      %any = vector.multi_reduction <or>, %given, %no [0] : vector<4xi1> to i1
      %most = vector.multi_reduction <maxui>, %t, %c0 [0] : vector<4xindex> to index
      %n = arith.index_cast %most : index to i64
      %f = arith.sitofp %n : i64 to f64
      %zero = arith.constant 0.0 : f64
      %g = arith.select %any, %f, %zero : f64
      %s = vector.broadcast %g : f64 to vector<4xf64>
      %o = vector.broadcast %zero : f64 to vector<4xf64>
      %v = arith.select %all, %s, %o : vector<4xi1>, vector<4xf64>
      vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<4xf64>, memref<4xf64>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %h = arith.constant 0.0 : bf16
    %f = arith.constant 0.0 : f32
    %d = arith.constant 0.0 : f64
    %i = arith.constant 0 : i32
    %no = arith.constant false
    %yes = arith.constant true
    %a = memref.alloc() : memref<4xbf16>
    %b = memref.alloc() : memref<4xf32>
    gpu.launch_func @kernels::@rounded blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xbf16>, %b : memref<4xf32>)
    %av = vector.transfer_read %a[%c0], %h {in_bounds = [true]} : memref<4xbf16>, vector<4xbf16>
    %aw = arith.extf %av : vector<4xbf16> to vector<4xf32>
    // CHECK: ( 0, 1, 2, 3 )
    vector.print %aw : vector<4xf32>
    %bv = vector.transfer_read %b[%c0], %f {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
    // CHECK-NEXT: ( 1.00391, 1.00391, 1.00391, 1.00391 )
    vector.print %bv : vector<4xf32>
    %p = memref.alloc() : memref<2x2xi32>
    %q = memref.alloc() : memref<2x2xf32>
    gpu.launch_func @kernels::@products blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<2x2xi32>, %q : memref<2x2xf32>)
    %pv = vector.transfer_read %p[%c0, %c0], %i {in_bounds = [true, true]} : memref<2x2xi32>, vector<2x2xi32>
    // CHECK-NEXT: ( ( 10001, -9998 ), ( -9998, 10004 ) )
    vector.print %pv : vector<2x2xi32>
    %qv = vector.transfer_read %q[%c0, %c0], %f {in_bounds = [true, true]} : memref<2x2xf32>, vector<2x2xf32>
    // CHECK-NEXT: ( ( 257, 16.5 ), ( 16.5, 1.25 ) )
    vector.print %qv : vector<2x2xf32>
    %m = memref.alloc() : memref<4xi1>
    %y = memref.alloc() : memref<4xf64>
    linalg.fill ins(%no : i1) outs(%m : memref<4xi1>)
    memref.store %yes, %m[%c2] : memref<4xi1>
    gpu.launch_func @kernels::@bits blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xi1>, %y : memref<4xf64>)
    %c3 = arith.constant 3 : index
    %m1 = memref.load %m[%c1] : memref<4xi1>
    %m2 = memref.load %m[%c2] : memref<4xi1>
    %m3 = memref.load %m[%c3] : memref<4xi1>
    %ms = vector.from_elements %m1, %m2, %m3 : vector<3xi1>
    // CHECK-NEXT: ( 0, 0, 1 )
    vector.print %ms : vector<3xi1>
    %yv = vector.transfer_read %y[%c0], %d {in_bounds = [true]} : memref<4xf64>, vector<4xf64>
    // CHECK-NEXT: ( 0, 0, 9, 9 )
    vector.print %yv : vector<4xf64>
    return
  }
}
