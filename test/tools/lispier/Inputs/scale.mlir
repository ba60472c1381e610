func.func @scale(%x: memref<?xf32>, %by: f32) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<?xf32>) {
  ^bb0(%v: f32):
    %y = arith.mulf %v, %by : f32
    linalg.yield %y : f32
  }
  return
}
