// memref, vector, linalg, tensor, affine, bufferization, gpu, nn, ub, builtin
#row = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#part = affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 * 2, d0 mod 3)>
#inside = affine_set<(d0, d1)[s0] : (d0 - 10 >= 0, -d1 + s0 >= 0, d0 + d1 == 0)>
module attributes {gpu.container_module} {
  memref.global "private" constant @weights : memref<2x2xf32> = dense<[[0.0, 1.0], [2.0, -3.5]]> {alignment = 64 : i64}
  memref.global @scratch : memref<16xi8> = uninitialized
  func.func @memory(%n: index, %i: index, %x: f32, %m: memref<?x8xf32>, %s: memref<8x8xf32, strided<[?, 1], offset: ?>>) -> index {
    %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?x8xf32>
    %1 = memref.alloca() : memref<4xf32, 3>
    %2 = memref.load %0[%i, %i] : memref<?x8xf32>
    memref.store %2, %0[%i, %i] {nontemporal = true} : memref<?x8xf32>
    %3 = memref.subview %0[%i, 0] [2, %n] [1, 2] : memref<?x8xf32> to memref<2x?xf32, strided<[8, 2], offset: ?>>
    %4 = memref.subview %m[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1]>>
    %5 = memref.cast %m : memref<?x8xf32> to memref<*xf32>
    %6 = memref.dim %m, %i : memref<?x8xf32>
    %7 = memref.reinterpret_cast %0 to offset: [%i], sizes: [4, %n], strides: [%n, 1] : memref<?x8xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
    %8 = memref.expand_shape %m [[0, 1], [2]] output_shape [%n, 2, 8] : memref<?x8xf32> into memref<?x2x8xf32>
    %9 = memref.collapse_shape %m [[0, 1]] : memref<?x8xf32> into memref<?xf32>
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s : memref<8x8xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
    %10 = memref.get_global @weights : memref<2x2xf32>
    %11 = memref.atomic_rmw addf %x, %0[%i, %i] : (f32, memref<?x8xf32>) -> f32
    memref.copy %m, %0 : memref<?x8xf32> to memref<?x8xf32>
    memref.alloca_scope {
      memref.prefetch %m[%i, %i], read, locality<3>, data : memref<?x8xf32>
    }
    memref.assume_alignment %m, 16 : memref<?x8xf32>
    %t = memref.transpose %10 (i, j) -> (j, i) : memref<2x2xf32> to memref<2x2xf32, strided<[1, 2]>>
    memref.dealloc %0 : memref<?x8xf32>
    return %sizes#1 : index
  }
  func.func @vectors(%x: f32, %v: vector<4xf32>, %m: memref<?x8xf32>, %i: index, %mask: vector<4xi1>) -> f32 {
    %0 = vector.broadcast %x : f32 to vector<4xf32>
    %1 = vector.fma %0, %v, %v : vector<4xf32>
    %2 = vector.extract %1[2] : f32 from vector<4xf32>
    %3 = vector.extract %1[%i] : f32 from vector<4xf32>
    %4 = vector.insert %3, %1 [0] : f32 into vector<4xf32>
    %5 = vector.shuffle %4, %v [0, 5, -1, 3] : vector<4xf32>, vector<4xf32>
    %6 = vector.transfer_read %m[%i, %i], %x, %mask {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d1)>} : memref<?x8xf32>, vector<4xf32>
    vector.transfer_write %6, %m[%i, %i] : vector<4xf32>, memref<?x8xf32>
    %7 = vector.load %m[%i, %i] : memref<?x8xf32>, vector<8xf32>
    vector.store %7, %m[%i, %i] : memref<?x8xf32>, vector<8xf32>
    %8 = vector.reduction <maximumf>, %5 : vector<4xf32> into f32
    %9 = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %5, %6, %x : vector<4xf32>, vector<4xf32> into f32
    %10 = vector.shape_cast %7 : vector<8xf32> to vector<2x4xf32>
    %11 = vector.transpose %10, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
    %12 = vector.extract_strided_slice %7 {offsets = [2], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %13 = vector.create_mask %i : vector<[4]xi1>
    %14 = vector.mask %mask { vector.reduction <add>, %12 : vector<4xf32> into f32 } : vector<4xi1> -> f32
    %15 = vector.from_elements %x, %x, %8 : vector<3xf32>
    %16 = vector.step : vector<4xindex>
    %17 = vector.gather %m[%i, %i] [%16], %mask, %v : memref<?x8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.print %17 : vector<4xf32>
    return %9 : f32
  }
  func.func @tensors(%t: tensor<?x8xf32>, %i: index, %x: f32) -> tensor<?x8xf32> {
    %0 = tensor.empty(%i) : tensor<?x8xf32>
    %1 = tensor.extract %t[%i, %i] : tensor<?x8xf32>
    %2 = tensor.insert %1 into %0[%i, %i] : tensor<?x8xf32>
    %3 = tensor.extract_slice %2[0, 0] [%i, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
    %4 = tensor.insert_slice %3 into %2[0, 4] [%i, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
    %5 = tensor.generate %i {
    ^bb0(%a: index, %b: index):
      tensor.yield %x : f32
    } : tensor<?x8xf32>
    %6 = tensor.pad %4 low[1, 0] high[%i, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %x : f32
    } : tensor<?x8xf32> to tensor<?x8xf32>
    %7 = tensor.cast %6 : tensor<?x8xf32> to tensor<*xf32>
    %8 = tensor.from_elements %x, %x : tensor<2xf32>
    %9 = tensor.concat dim(0) %5, %6 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %10 = bufferization.to_buffer %9 read_only : tensor<?x8xf32> to memref<?x8xf32>
    %11 = bufferization.to_tensor %10 restrict writable : memref<?x8xf32> to tensor<?x8xf32>
    %12 = bufferization.alloc_tensor() copy(%11) {memory_space = 1 : i64} : tensor<?x8xf32>
    bufferization.materialize_in_destination %12 in writable %10 : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
    %13 = ub.poison : tensor<?x8xf32>
    %14 = scf.forall (%k) in (4) shared_outs(%o = %12) -> (tensor<?x8xf32>) {
      %s = tensor.extract_slice %o[%k, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %o[%k, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
      }
    } {mapping = [#gpu.block<x>]}
    return %14 : tensor<?x8xf32>
  }
  func.func @structured(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>, %row: memref<4xf32>, %u: memref<8x4xf32>, %x: f32, %ta: tensor<4x8xf32>, %tb: tensor<8x16xf32>, %tc: tensor<4x16xf32>) -> tensor<4x16xf32> {
    linalg.fill ins(%x : f32) outs(%c : memref<4x16xf32>)
    linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
    %0 = linalg.matmul {test.tile = [4, 8]} ins(%ta, %tb : tensor<4x8xf32>, tensor<8x16xf32>) outs(%tc : tensor<4x16xf32>) -> tensor<4x16xf32>
    linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"], doc = "row sums"} ins(%a : memref<4x8xf32>) outs(%row : memref<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 1 : index
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    }
    linalg.transpose ins(%a : memref<4x8xf32>) outs(%u : memref<8x4xf32>) permutation = [1, 0] {test.skip}
    %1 = linalg.reduce ins(%ta : tensor<4x8xf32>) outs(%ta : tensor<4x8xf32>) dimensions = [] (%in: f32, %init: f32) {
      %s = arith.maximumf %in, %init : f32
      linalg.yield %s : f32
    }
    %2 = linalg.map { math.exp } ins(%0 : tensor<4x16xf32>) outs(%tc : tensor<4x16xf32>)
    %3 = linalg.add ins(%0, %2 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%tc : tensor<4x16xf32>) -> tensor<4x16xf32>
    linalg.copy ins(%c : memref<4x16xf32>) outs(%c : memref<4x16xf32>)
    return %3 : tensor<4x16xf32>
  }
  func.func @polyhedral(%n: index, %x: f32, %m: memref<?x8xf32>) -> f32 {
    %0 = affine.for %i = 0 to affine_map<(d0) -> (d0 ceildiv 2)>(%n) step 2 iter_args(%acc = %x) -> (f32) {
      %a = affine.load %m[%i + symbol(%n), 3] : memref<?x8xf32>
      affine.store %a, %m[%i * 2, %i mod 8] : memref<?x8xf32>
      affine.if #inside(%i, %i)[%n] {
        affine.prefetch %m[%i, 0], read, locality<3>, data : memref<?x8xf32>
      }
      affine.yield %a : f32
    }
    %1 = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 * 2)>(%n)[%n]
    %2 = affine.min affine_map<(d0) -> (d0, 128 - d0)>(%1)
    %3 = affine.max #part(%1)[%2]
    %4:2 = affine.delinearize_index %1 into (%n, 8) : index, index
    affine.parallel (%i, %j) = (0, 0) to (%n, min(8, %n)) step (1, 4) {
    }
    %5 = affine.parallel (%i) = (0) to (16) reduce ("addf") -> f32 {
      affine.yield %x : f32
    }
    return %5 : f32
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
    memref.global "private" @tile : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.func @first(%x: f32) kernel {
      %0 = func.call @above(%x) : (f32) -> f32
      gpu.return
    }
    func.func @above(%x: f32) -> f32 {
      return %x : f32
    }
    gpu.func @scale(%m: memref<?xf32>, %x: f32) workgroup(%w: memref<32xf32, #gpu.address_space<workgroup>>) private(%p: memref<1xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %id = gpu.thread_id x
      %b = gpu.block_id y
      %d = gpu.block_dim z upper_bound 64
      %l = gpu.lane_id
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %v, %ok = gpu.shuffle xor %x, %one, %width : f32
      %s = gpu.all_reduce add %v uniform {
      } : (f32) -> f32
      %r = gpu.subgroup_reduce maxnumf %s : (f32) -> f32
      gpu.barrier
      memref.store %r, %m[%id] : memref<?xf32>
      gpu.printf "%f\0A", %r : f32
      gpu.return
    }
  }
  func.func @launches(%n: index, %m: memref<?xf32>, %x: f32, %bytes: i32) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) dynamic_shared_memory_size %bytes {
      memref.store %x, %m[%tx] : memref<?xf32>
      gpu.terminator
    }
    %t = gpu.wait async
    %d, %t2 = gpu.alloc async [%t] (%n) : memref<?xf32>
    %t3 = gpu.memcpy async [%t2] %d, %m : memref<?xf32>, memref<?xf32>
    %t4 = gpu.launch_func async [%t3] @kernels::@scale blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %bytes args(%d : memref<?xf32>, %x : f32)
    gpu.wait [%t4]
    gpu.dealloc %d : memref<?xf32>
    return
  }
  func.func @network(%x: memref<?x64xf32>, %w: memref<128x64xbf16>, %b: memref<128xbf16>, %g: memref<64xbf16>, %h: memref<?x64xf32>, %e: f32, %out: memref<?x128xf32>) {
    nn.layer_norm %x, %g, %g epsilon %e into %h : memref<?x64xf32>, memref<64xbf16>, memref<64xbf16>, memref<?x64xf32>
    nn.linear %h, %w bias %b into %out {activation = #nn<activation gelu_tanh>} : memref<?x64xf32>, memref<128x64xbf16>, memref<128xbf16>, memref<?x128xf32>
    nn.linear %h, %w residual %out into %out : memref<?x64xf32>, memref<128x64xbf16>, memref<?x128xf32>, memref<?x128xf32>
    %0 = builtin.unrealized_conversion_cast %x : memref<?x64xf32> to !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    return
  }
  module @inner attributes {test.texts = ["#hash", "dense<", "plain", @a::@b, i32, (i32) -> f32, {deep = [1 : ui8, unit]}]} {
    func.func private @hidden() -> tuple<i32, none>
  }
}
