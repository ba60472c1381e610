// RUN: lispier-opt %s -split-input-file -verify-diagnostics --lispier-check-placements=explain

// A layer divided by columns, and then by rows: the sum is over the ranks.
#rows = affine_map<(t, n, k) -> (t, k)>
#columns = affine_map<(t, n, k) -> (k, n)>
#result = affine_map<(t, n, k) -> (t, n)>
#id = affine_map<(t, n) -> (t, n)>
module attributes {comm.mesh = "tp"} {
  func.func @main() {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    // expected-remark@+1 {{tp: same}}
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-remark@+1 {{tp: same}}
    %x = linalg.fill ins(%one : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    // expected-remark@+1 {{tp: same}}
    %e1 = tensor.empty() : tensor<8x6xf32>
    // expected-remark@+1 {{tp: split 1}}
    %w1 = comm.assume %e1 over ["tp"] dimension 1 : tensor<8x6xf32>
    // expected-remark@+1 {{tp: same}}
    %e2 = tensor.empty() : tensor<6x8xf32>
    // expected-remark@+1 {{tp: split 0}}
    %w2 = comm.assume %e2 over ["tp"] dimension 0 : tensor<6x8xf32>
    // expected-remark@+1 {{tp: same}}
    %h0 = tensor.empty() : tensor<4x6xf32>
    // expected-remark@+1 {{tp: same}}
    %hz = linalg.fill ins(%zero : f32) outs(%h0 : tensor<4x6xf32>) -> tensor<4x6xf32>
    // expected-remark@+1 {{tp: split 1}}
    %h = linalg.contract indexing_maps = [#rows, #columns, #result]
        ins(%x, %w1 : tensor<4x8xf32>, tensor<8x6xf32>) outs(%hz : tensor<4x6xf32>) -> tensor<4x6xf32>
    // expected-remark@+1 {{tp: split 1}}
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%h : tensor<4x6xf32>) outs(%h0 : tensor<4x6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %t = math.tanh %a : f32
      linalg.yield %t : f32
    } -> tensor<4x6xf32>
    // expected-remark@+1 {{tp: same}}
    %yz = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    // expected-remark@+2 {{tp: partial}}
    // expected-note@+1 {{that is made here}}
    %y = linalg.contract indexing_maps = [#rows, #columns, #result]
        ins(%g, %w2 : tensor<4x6xf32>, tensor<6x8xf32>) outs(%yz : tensor<4x8xf32>) -> tensor<4x8xf32>
    // expected-remark@+1 {{tp: same}}
    %s = comm.all_reduce add %y into %e over ["tp"] : tensor<4x8xf32> into tensor<4x8xf32>
    return
  }
}
