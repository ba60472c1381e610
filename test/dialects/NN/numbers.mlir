// DEFINE: %{lower} = lispier-opt %s --pass-pipeline='builtin.module(lispier-decompose-nn,convert-linalg-to-loops,arith-expand{include-bf16=true},convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts)'
// RUN: %{lower} | mlir-runner -e main -entry-point-result=void -shared-libs=%llvm-libraries/libmlir_c_runner_utils.so | FileCheck %s
// RUN: lispier run --from=module %s | FileCheck %s

// Every layer against its formula, evaluated in double precision outside of
// Lispier (Python's float and math.exp, tanh, sqrt). Inputs are multiples of 1/8
// in [-2, 2], which bf16 holds exactly, so that only the result is rounded.
// Tolerance for f32: fewer than 9 roundings that matter, of values below 8, each
// at most 2^-24 * 8: 4.3e-6. All operands have dynamic sizes.

memref.global "private" constant @x25 : memref<2x5xf32> = dense<[[1.625, 0.875, 0.375, -0.125, -0.625], [-0.125, -1.375, 0.375, 1.875, 0.625]]>
memref.global "private" constant @w5 : memref<5xbf16> = dense<[1.5, 0.25, -1.5, -1.125, 2.0]>
memref.global "private" constant @b5 : memref<5xbf16> = dense<[1.25, -0.75, 0.625, -0.875, 1.875]>
memref.global "private" constant @layer_norm_exact : memref<2x5xf32> = dense<[[3.19098992, -0.62868813, 0.70587458, -0.207784716, -0.389488237], [0.736447409, -1.10306741, 0.496611852, -2.41565777, 2.47414469]]>
memref.global "private" constant @w35 : memref<3x5xbf16> = dense<[[1.25, -1.75, -1.5, 0.5, 0.625], [0.75, 1.875, 1.625, -1.5, -1.375], [0.125, 1.75, -1.5, -1.625, 0.375]]>
memref.global "private" constant @b3 : memref<3xbf16> = dense<[1.5, 0.25, 1.0]>
memref.global "private" constant @r23 : memref<2x3xf32> = dense<[[0.75, -1.875, 1.625], [0.75, -0.75, -1.125]]>
memref.global "private" constant @linear_none_exact : memref<2x3xf32> = dense<[[1.734375, 2.890625, 3.765625], [5.265625, -6.234375, -5.921875]]>
memref.global "private" constant @linear_gelu_tanh_exact : memref<2x3xf32> = dense<[[1.5743007, 2.89062395, 3.73126769], [5.2656203, -0.750000007, -1.12500086]]>
memref.global "private" constant @linear_relu_exact : memref<2x3xf32> = dense<[[1.734375, 2.890625, 3.765625], [5.265625, -0.75, -1.125]]>
memref.global "private" constant @linear_silu_exact : memref<2x3xf32> = dense<[[1.46660083, 2.85037631, 3.54040869], [5.21677294, -0.772672231, -1.16427638]]>
memref.global "private" constant @linear_bare_exact : memref<2x3xf32> = dense<[[-0.515625, 4.515625, 1.140625], [3.015625, -5.734375, -5.796875]]>
memref.global "private" constant @qkv : memref<2x18xf32> = dense<[[1.875, -1.625, -0.375, 0.25, -1.0, -0.125, 1.125, 1.125, 1.875, -1.375, -0.75, 1.5, 1.125, 0.125, -1.0, 1.375, 0.125, 1.25], [0.75, 1.0, -0.25, -0.875, -1.375, -0.625, -0.875, -0.25, -0.25, -2.0, 1.875, -0.625, 0.0, 0.25, -2.0, -0.875, 1.25, 0.875]]>
memref.global "private" constant @keys : memref<2x4x3xf32> = dense<[[[0.5, -1.0, 2.0], [-1.625, 1.625, 1.125], [1.125, 1.125, 1.125], [-1.25, 1.75, 1.125]], [[-1.625, -0.5, -1.5], [-0.375, 1.5, -0.75], [-1.125, 0.625, -1.625], [-1.25, -2.0, -0.875]]]>
memref.global "private" constant @values : memref<2x4x3xf32> = dense<[[[-1.25, 0.875, -1.875], [-1.5, -0.375, 1.0], [-0.875, 0.0, 0.75], [0.875, 1.75, -1.125]], [[-1.125, 1.875, 1.625], [1.75, 1.75, 0.375], [-1.375, -0.875, -1.25], [0.625, 0.0, 1.75]]]>
memref.global "private" constant @rotated_heads : memref<4x4xf32> = dense<[[0.0, 0.75, -1.875, 1.625], [-0.125, -1.625, -0.75, -1.125], [0.875, 1.75, -0.125, 1.0], [-1.25, -0.125, -2.0, -0.375]]>
memref.global "private" constant @cosines : memref<1x2xf32> = dense<[[0.5, 0.75]]>
memref.global "private" constant @sines : memref<1x2xf32> = dense<[[0.875, -0.625]]>
memref.global "private" constant @rotated_keys : memref<3x4xf32> = dense<[[1.25, 0.125, -0.625, 1.0], [-0.75, -1.5, -1.0, 1.5], [-1.0, -1.0, -2.0, -2.0]]>
memref.global "private" constant @rotated_values : memref<3x4xf32> = dense<[[-0.375, -0.375, -0.75, -0.75], [0.25, 0.5, -0.5, -0.375], [-0.625, -0.5, 1.0, 0.375]]>
memref.global "private" constant @rotated_keys_exact : memref<3x4xf32> = dense<[[1.25, 0.125, -0.625, 1.0], [0.546875, 1.9375, 0.703125, -0.34375], [-1.0, -1.0, -2.0, -2.0]]>
memref.global "private" constant @rotated_attention_exact : memref<2x4xf32> = dense<[[-0.753134097, -0.266961687, -1.29019157, -0.58794253], [-0.448609568, -0.353968695, -0.855156526, -0.718453042]]>
memref.global "private" constant @keys_exact : memref<2x4x3xf32> = dense<[[[0.5, -1.0, 2.0], [1.125, 1.125, 1.875], [-0.875, -0.25, -0.25], [-1.25, 1.75, 1.125]], [[-1.625, -0.5, -1.5], [-1.375, -0.75, 1.5], [-2.0, 1.875, -0.625], [-1.25, -2.0, -0.875]]]>
memref.global "private" constant @values_exact : memref<2x4x3xf32> = dense<[[[-1.25, 0.875, -1.875], [1.125, 0.125, -1.0], [0.0, 0.25, -2.0], [0.875, 1.75, -1.125]], [[-1.125, 1.875, 1.625], [1.375, 0.125, 1.25], [-0.875, 1.25, 0.875], [0.625, 0.0, 1.75]]]>
memref.global "private" constant @attention_exact : memref<2x6xf32> = dense<[[-0.737356411, 0.713112551, -1.68613131, 0.102449702, 1.01578521, 1.44088254], [0.575322206, 0.258325051, -1.30488172, -0.494991085, 1.39380795, 1.46687114]]>
memref.global "private" constant @softmax_exact : memref<2x5xf32> = dense<[[0.490666416, 0.231774404, 0.140578282, 0.0852650381, 0.0517158598], [0.0803775676, 0.0230285587, 0.132520205, 0.593914356, 0.170159312]]>
memref.global "private" constant @gelu_exact : memref<2x5xf32> = dense<[[1.54019497, 0.707952681, 0.242307767, -0.0562828014, -0.16627885], [-0.0562828014, -0.116511447, 0.242307767, 1.81799904, 0.45872115]]>
memref.global "private" constant @add_exact : memref<2x5xf32> = dense<[[3.25, 1.75, 0.75, -0.25, -1.25], [-0.25, -2.75, 0.75, 3.75, 1.25]]>
memref.global "private" constant @one : memref<1xi32> = dense<1>

// Prints how many of how many elements are further than the tolerance from the exact value; a NaN is.
func.func private @wrong(%a: memref<?x?xf32>, %exact: memref<?x?xf32>, %tolerance: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = memref.dim %exact, %c0 : memref<?x?xf32>
  %columns = memref.dim %exact, %c1 : memref<?x?xf32>
  %count:2 = scf.for %i = %c0 to %rows step %c1 iter_args(%w = %zero, %n = %zero) -> (i64, i64) {
    %row:2 = scf.for %j = %c0 to %columns step %c1 iter_args(%wr = %w, %nr = %n) -> (i64, i64) {
      %x = memref.load %a[%i, %j] : memref<?x?xf32>
      %y = memref.load %exact[%i, %j] : memref<?x?xf32>
      %difference = arith.subf %x, %y : f32
      %distance = math.absf %difference : f32
      %good = arith.cmpf ole, %distance, %tolerance : f32
      %bad = arith.select %good, %zero, %one : i64
      %w1 = arith.addi %wr, %bad : i64
      %n1 = arith.addi %nr, %one : i64
      scf.yield %w1, %n1 : i64, i64
    }
    scf.yield %row#0, %row#1 : i64, i64
  }
  vector.print %count#0 : i64
  vector.print %count#1 : i64
  return
}

func.func @main() {
  %exactly = arith.constant 0.0 : f32
  %tolerance = arith.constant 4.3e-6 : f32

  %v13 = memref.get_global @x25 : memref<2x5xf32>
  %v14 = memref.cast %v13 : memref<2x5xf32> to memref<?x?xf32>
  %v15 = memref.get_global @w5 : memref<5xbf16>
  %v16 = memref.cast %v15 : memref<5xbf16> to memref<?xbf16>
  %v17 = memref.get_global @b5 : memref<5xbf16>
  %v18 = memref.cast %v17 : memref<5xbf16> to memref<?xbf16>
  %v19 = memref.alloc() : memref<2x5xf32>
  %v20 = memref.cast %v19 : memref<2x5xf32> to memref<?x?xf32>
  %quarter = arith.constant 0.25 : f32
  nn.layer_norm %v14, %v16, %v18 epsilon %quarter into %v20 : memref<?x?xf32>, memref<?xbf16>, memref<?xbf16>, memref<?x?xf32>
  vector.print str "layer_norm\n"
  %v21 = memref.get_global @layer_norm_exact : memref<2x5xf32>
  %v22 = memref.cast %v21 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v20, %v22, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: layer_norm{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}

  // In place.
  %v23 = memref.get_global @x25 : memref<2x5xf32>
  %v24 = memref.alloc() : memref<2x5xf32>
  memref.copy %v23, %v24 : memref<2x5xf32> to memref<2x5xf32>
  %v25 = memref.cast %v24 : memref<2x5xf32> to memref<?x?xf32>
  nn.layer_norm %v25, %v16, %v18 epsilon %quarter into %v25 : memref<?x?xf32>, memref<?xbf16>, memref<?xbf16>, memref<?x?xf32>
  vector.print str "layer_norm in place\n"
  %v26 = memref.get_global @layer_norm_exact : memref<2x5xf32>
  %v27 = memref.cast %v26 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v25, %v27, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: layer_norm in place{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}

  // Results below 4 rounded to bf16: half of 2^-6.
  %bf16_tolerance = arith.constant 0.0079 : f32
  %v28 = memref.alloc() : memref<2x5xbf16>
  %v29 = memref.cast %v28 : memref<2x5xbf16> to memref<?x?xbf16>
  %v30 = memref.alloc() : memref<2x5xf32>
  %v31 = memref.cast %v30 : memref<2x5xf32> to memref<?x?xf32>
  %v32 = memref.alloc() : memref<2x5xf32>
  %v33 = memref.cast %v32 : memref<2x5xf32> to memref<?x?xf32>
  nn.layer_norm %v14, %v16, %v18 epsilon %quarter into %v29 : memref<?x?xf32>, memref<?xbf16>, memref<?xbf16>, memref<?x?xbf16>
  linalg.fill ins(%exactly : f32) outs(%v31 : memref<?x?xf32>)
  nn.add %v29, %v31 into %v33 : memref<?x?xbf16>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "layer_norm to bf16\n"
  %v34 = memref.get_global @layer_norm_exact : memref<2x5xf32>
  %v35 = memref.cast %v34 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v33, %v35, %bf16_tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: layer_norm to bf16{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}

  %v36 = memref.get_global @w35 : memref<3x5xbf16>
  %v37 = memref.cast %v36 : memref<3x5xbf16> to memref<?x?xbf16>
  %v38 = memref.get_global @b3 : memref<3xbf16>
  %v39 = memref.cast %v38 : memref<3xbf16> to memref<?xbf16>
  %v40 = memref.get_global @r23 : memref<2x3xf32>
  %v41 = memref.alloc() : memref<2x3xf32>
  memref.copy %v40, %v41 : memref<2x3xf32> to memref<2x3xf32>
  %v42 = memref.cast %v41 : memref<2x3xf32> to memref<?x?xf32>
  nn.linear %v14, %v37 bias %v39 residual %v42 into %v42 {activation = #nn<activation none>} : memref<?x?xf32>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "linear none\n"
  %v43 = memref.get_global @linear_none_exact : memref<2x3xf32>
  %v44 = memref.cast %v43 : memref<2x3xf32> to memref<?x?xf32>
  call @wrong(%v42, %v44, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: linear none{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}6{{$}}
  %v45 = memref.get_global @r23 : memref<2x3xf32>
  %v46 = memref.alloc() : memref<2x3xf32>
  memref.copy %v45, %v46 : memref<2x3xf32> to memref<2x3xf32>
  %v47 = memref.cast %v46 : memref<2x3xf32> to memref<?x?xf32>
  nn.linear %v14, %v37 bias %v39 residual %v47 into %v47 {activation = #nn<activation gelu_tanh>} : memref<?x?xf32>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "linear gelu_tanh\n"
  %v48 = memref.get_global @linear_gelu_tanh_exact : memref<2x3xf32>
  %v49 = memref.cast %v48 : memref<2x3xf32> to memref<?x?xf32>
  call @wrong(%v47, %v49, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: linear gelu_tanh{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}6{{$}}
  %v50 = memref.get_global @r23 : memref<2x3xf32>
  %v51 = memref.alloc() : memref<2x3xf32>
  memref.copy %v50, %v51 : memref<2x3xf32> to memref<2x3xf32>
  %v52 = memref.cast %v51 : memref<2x3xf32> to memref<?x?xf32>
  nn.linear %v14, %v37 bias %v39 residual %v52 into %v52 {activation = #nn<activation relu>} : memref<?x?xf32>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "linear relu\n"
  %v53 = memref.get_global @linear_relu_exact : memref<2x3xf32>
  %v54 = memref.cast %v53 : memref<2x3xf32> to memref<?x?xf32>
  call @wrong(%v52, %v54, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: linear relu{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}6{{$}}
  %v55 = memref.get_global @r23 : memref<2x3xf32>
  %v56 = memref.alloc() : memref<2x3xf32>
  memref.copy %v55, %v56 : memref<2x3xf32> to memref<2x3xf32>
  %v57 = memref.cast %v56 : memref<2x3xf32> to memref<?x?xf32>
  nn.linear %v14, %v37 bias %v39 residual %v57 into %v57 {activation = #nn<activation silu>} : memref<?x?xf32>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "linear silu\n"
  %v58 = memref.get_global @linear_silu_exact : memref<2x3xf32>
  %v59 = memref.cast %v58 : memref<2x3xf32> to memref<?x?xf32>
  call @wrong(%v57, %v59, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: linear silu{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}6{{$}}
  %v60 = memref.alloc() : memref<2x3xf32>
  %v61 = memref.cast %v60 : memref<2x3xf32> to memref<?x?xf32>
  nn.linear %v14, %v37 into %v61 : memref<?x?xf32>, memref<?x?xbf16>, memref<?x?xf32>
  vector.print str "linear bare\n"
  %v62 = memref.get_global @linear_bare_exact : memref<2x3xf32>
  %v63 = memref.cast %v62 : memref<2x3xf32> to memref<?x?xf32>
  call @wrong(%v61, %v63, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: linear bare{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}6{{$}}

  %v64 = memref.get_global @qkv : memref<2x18xf32>
  %v65 = memref.expand_shape %v64 [[0], [1, 2, 3]] output_shape [2, 3, 2, 3] : memref<2x18xf32> into memref<2x3x2x3xf32>
  %q = memref.subview %v65[0, 0, 0, 0][2, 1, 2, 3][1, 1, 1, 1] : memref<2x3x2x3xf32> to memref<2x2x3xf32, strided<[18, 3, 1]>>
  %k = memref.subview %v65[0, 1, 0, 0][2, 1, 2, 3][1, 1, 1, 1] : memref<2x3x2x3xf32> to memref<2x2x3xf32, strided<[18, 3, 1], offset: 6>>
  %v = memref.subview %v65[0, 2, 0, 0][2, 1, 2, 3][1, 1, 1, 1] : memref<2x3x2x3xf32> to memref<2x2x3xf32, strided<[18, 3, 1], offset: 12>>
  %v66 = memref.get_global @keys : memref<2x4x3xf32>
  %v67 = memref.alloc() : memref<2x4x3xf32>
  memref.copy %v66, %v67 : memref<2x4x3xf32> to memref<2x4x3xf32>
  %v68 = memref.cast %v67 : memref<2x4x3xf32> to memref<?x?x?xf32>
  %v69 = memref.get_global @values : memref<2x4x3xf32>
  %v70 = memref.alloc() : memref<2x4x3xf32>
  memref.copy %v69, %v70 : memref<2x4x3xf32> to memref<2x4x3xf32>
  %v71 = memref.cast %v70 : memref<2x4x3xf32> to memref<?x?x?xf32>
  %v72 = memref.get_global @one : memref<1xi32>
  %v73 = memref.cast %v72 : memref<1xi32> to memref<?xi32>
  %v74 = memref.alloc() : memref<2x6xf32>
  %v75 = memref.cast %v74 : memref<2x6xf32> to memref<?x?xf32>
  %heads = memref.expand_shape %v74 [[0], [1, 2]] output_shape [2, 2, 3] : memref<2x6xf32> into memref<2x2x3xf32>
  nn.attention %q, %k, %v cache %v68, %v71 at %v73 into %heads : memref<2x2x3xf32, strided<[18, 3, 1]>>, memref<2x2x3xf32, strided<[18, 3, 1], offset: 6>>, memref<2x2x3xf32, strided<[18, 3, 1], offset: 12>>, memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?xi32>, memref<2x2x3xf32>
  vector.print str "attention\n"
  %v76 = memref.get_global @attention_exact : memref<2x6xf32>
  %v77 = memref.cast %v76 : memref<2x6xf32> to memref<?x?xf32>
  call @wrong(%v75, %v77, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: attention{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}12{{$}}
  %r0 = memref.get_global @rotated_heads : memref<4x4xf32>
  %r1 = memref.expand_shape %r0 [[0, 1], [2]] output_shape [1, 4, 4] : memref<4x4xf32> into memref<1x4x4xf32>
  %r2 = memref.subview %r1[0, 0, 0][1, 2, 4][1, 1, 1] : memref<1x4x4xf32> to memref<1x2x4xf32, strided<[16, 4, 1]>>
  %r3 = memref.subview %r1[0, 2, 0][1, 1, 4][1, 1, 1] : memref<1x4x4xf32> to memref<1x1x4xf32, strided<[16, 4, 1], offset: 8>>
  %r4 = memref.subview %r1[0, 3, 0][1, 1, 4][1, 1, 1] : memref<1x4x4xf32> to memref<1x1x4xf32, strided<[16, 4, 1], offset: 12>>
  %r5 = memref.get_global @cosines : memref<1x2xf32>
  %r6 = memref.get_global @sines : memref<1x2xf32>
  %r7 = memref.get_global @rotated_keys : memref<3x4xf32>
  %r8 = memref.get_global @rotated_values : memref<3x4xf32>
  %r9 = memref.alloc() : memref<3x4xf32>
  memref.copy %r7, %r9 : memref<3x4xf32> to memref<3x4xf32>
  %r10 = memref.alloc() : memref<3x4xf32>
  memref.copy %r8, %r10 : memref<3x4xf32> to memref<3x4xf32>
  %r11 = memref.expand_shape %r9 [[0, 1], [2]] output_shape [1, 3, 4] : memref<3x4xf32> into memref<1x3x4xf32>
  %r12 = memref.expand_shape %r10 [[0, 1], [2]] output_shape [1, 3, 4] : memref<3x4xf32> into memref<1x3x4xf32>
  %r13 = memref.alloc() : memref<1x3x4xf32>
  %r14 = memref.alloc() : memref<2x4xf32>
  %r15 = memref.expand_shape %r14 [[0, 1], [2]] output_shape [1, 2, 4] : memref<2x4xf32> into memref<1x2x4xf32>
  nn.rotated_attention %r2, %r3, %r4 by %r5, %r6 through %r13 cache %r11, %r12 at %v72 into %r15 : memref<1x2x4xf32, strided<[16, 4, 1]>>, memref<1x1x4xf32, strided<[16, 4, 1], offset: 8>>, memref<1x1x4xf32, strided<[16, 4, 1], offset: 12>>, memref<1x2xf32>, memref<1x2xf32>, memref<1x3x4xf32>, memref<1x3x4xf32>, memref<1x3x4xf32>, memref<1xi32>, memref<1x2x4xf32>
  vector.print str "rotated attention\n"
  %r16 = memref.cast %r14 : memref<2x4xf32> to memref<?x?xf32>
  %r17 = memref.get_global @rotated_attention_exact : memref<2x4xf32>
  %r18 = memref.cast %r17 : memref<2x4xf32> to memref<?x?xf32>
  call @wrong(%r16, %r18, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: rotated attention{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}8{{$}}
  vector.print str "rotated key cache\n"
  %r19 = memref.cast %r9 : memref<3x4xf32> to memref<?x?xf32>
  %r20 = memref.get_global @rotated_keys_exact : memref<3x4xf32>
  %r21 = memref.cast %r20 : memref<3x4xf32> to memref<?x?xf32>
  call @wrong(%r19, %r21, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: rotated key cache{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}12{{$}}
  vector.print str "key cache\n"
  %v78 = memref.collapse_shape %v68 [[0, 1], [2]] : memref<?x?x?xf32> into memref<?x?xf32>
  %v79 = memref.get_global @keys_exact : memref<2x4x3xf32>
  %v80 = memref.cast %v79 : memref<2x4x3xf32> to memref<?x?x?xf32>
  %v81 = memref.collapse_shape %v80 [[0, 1], [2]] : memref<?x?x?xf32> into memref<?x?xf32>
  call @wrong(%v78, %v81, %exactly) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: key cache{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}24{{$}}
  vector.print str "value cache\n"
  %v82 = memref.collapse_shape %v71 [[0, 1], [2]] : memref<?x?x?xf32> into memref<?x?xf32>
  %v83 = memref.get_global @values_exact : memref<2x4x3xf32>
  %v84 = memref.cast %v83 : memref<2x4x3xf32> to memref<?x?x?xf32>
  %v85 = memref.collapse_shape %v84 [[0, 1], [2]] : memref<?x?x?xf32> into memref<?x?xf32>
  call @wrong(%v82, %v85, %exactly) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: value cache{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}24{{$}}

  %v86 = memref.get_global @x25 : memref<2x5xf32>
  %v87 = memref.alloc() : memref<2x5xf32>
  memref.copy %v86, %v87 : memref<2x5xf32> to memref<2x5xf32>
  %v88 = memref.cast %v87 : memref<2x5xf32> to memref<?x?xf32>
  nn.softmax %v88 into %v88 : memref<?x?xf32>, memref<?x?xf32>
  vector.print str "softmax\n"
  %v89 = memref.get_global @softmax_exact : memref<2x5xf32>
  %v90 = memref.cast %v89 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v88, %v90, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: softmax{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}
  %v91 = memref.alloc() : memref<2x5xf32>
  %v92 = memref.cast %v91 : memref<2x5xf32> to memref<?x?xf32>
  nn.gelu %v14 into %v92 : memref<?x?xf32>, memref<?x?xf32>
  vector.print str "gelu\n"
  %v93 = memref.get_global @gelu_exact : memref<2x5xf32>
  %v94 = memref.cast %v93 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v92, %v94, %tolerance) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: gelu{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}
  %v95 = memref.alloc() : memref<2x5xf32>
  %v96 = memref.cast %v95 : memref<2x5xf32> to memref<?x?xf32>
  nn.add %v14, %v14 into %v96 : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  vector.print str "add\n"
  %v97 = memref.get_global @add_exact : memref<2x5xf32>
  %v98 = memref.cast %v97 : memref<2x5xf32> to memref<?x?xf32>
  call @wrong(%v96, %v98, %exactly) : (memref<?x?xf32>, memref<?x?xf32>, f32) -> ()
  // CHECK: add{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}10{{$}}
  return
}
