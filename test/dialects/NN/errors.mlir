// RUN: lispier-opt %s -split-input-file -verify-diagnostics

func.func @types(%x: memref<4xf32>, %w: memref<8x4xf32>, %o: memref<4x8xf32>) {
  // expected-error@+1 {{operand #0 must be a matrix of f32 or bf16 such as memref<?x?xf32> or tensor<?x?xf32>, but got 'memref<4xf32>'}}
  nn.linear %x, %w into %o : memref<4xf32>, memref<8x4xf32>, memref<4x8xf32>
  return
}

// -----

func.func @linear_inner(%x: memref<2x768xf32>, %w: memref<3072x1024xf32>, %o: memref<2x3072xf32>) {
  // expected-error@+1 {{K differs: x has 768 ('memref<2x768xf32>'), weight has 1024 ('memref<3072x1024xf32>')}}
  nn.linear %x, %w into %o : memref<2x768xf32>, memref<3072x1024xf32>, memref<2x3072xf32>
  return
}

// -----

func.func @linear_bias(%x: memref<2x4xf32>, %w: memref<8x4xf32>, %b: memref<4xf32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{N differs: weight has 8 ('memref<8x4xf32>'), bias has 4 ('memref<4xf32>')}}
  nn.linear %x, %w bias %b into %o : memref<2x4xf32>, memref<8x4xf32>, memref<4xf32>, memref<2x8xf32>
  return
}

// -----

func.func @linear_bias_type(%x: memref<2x4xf32>, %w: memref<8x4xbf16>, %b: memref<8xf32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{weight and bias have different element types, 'bf16' and 'f32'}}
  nn.linear %x, %w bias %b into %o : memref<2x4xf32>, memref<8x4xbf16>, memref<8xf32>, memref<2x8xf32>
  return
}

// -----

func.func @linear_residual(%x: memref<2x4xf32>, %w: memref<8x4xf32>, %r: memref<2x4xf32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{N differs: weight has 8 ('memref<8x4xf32>'), residual has 4 ('memref<2x4xf32>')}}
  nn.linear %x, %w residual %r into %o : memref<2x4xf32>, memref<8x4xf32>, memref<2x4xf32>, memref<2x8xf32>
  return
}

// -----

func.func @linear_residual_type(%x: memref<2x4xf32>, %w: memref<8x4xf32>, %r: memref<2x8xbf16>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{residual and out have different element types, 'bf16' and 'f32'}}
  nn.linear %x, %w residual %r into %o : memref<2x4xf32>, memref<8x4xf32>, memref<2x8xbf16>, memref<2x8xf32>
  return
}

// -----

func.func @linear_out(%x: memref<2x4xf32>, %w: memref<8x4xf32>, %o: memref<3x8xf32>) {
  // expected-error@+1 {{T differs: x has 2 ('memref<2x4xf32>'), out has 3 ('memref<3x8xf32>')}}
  nn.linear %x, %w into %o : memref<2x4xf32>, memref<8x4xf32>, memref<3x8xf32>
  return
}

// -----

func.func @linear_in_place(%x: memref<2x4xf32>, %w: memref<4x4xf32>) {
  // expected-error@+1 {{x and out must not be the same memory}}
  nn.linear %x, %w into %x : memref<2x4xf32>, memref<4x4xf32>, memref<2x4xf32>
  return
}

// -----

func.func @layer_norm_weight(%e: f32, %x: memref<2x8xf32>, %w: memref<4xf32>, %b: memref<8xf32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{C differs: x has 8 ('memref<2x8xf32>'), weight has 4 ('memref<4xf32>')}}
  nn.layer_norm %x, %w, %b epsilon %e into %o : memref<2x8xf32>, memref<4xf32>, memref<8xf32>, memref<2x8xf32>
  return
}

// -----

func.func @layer_norm_types(%e: f32, %x: memref<2x8xf32>, %w: memref<8xbf16>, %b: memref<8xf32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{weight and bias have different element types, 'bf16' and 'f32'}}
  nn.layer_norm %x, %w, %b epsilon %e into %o : memref<2x8xf32>, memref<8xbf16>, memref<8xf32>, memref<2x8xf32>
  return
}

// -----

func.func @attention_out(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x9x16xf32>, %at: memref<1xi32>, %o: memref<2x4x32xf32>) {
  // expected-error@+1 {{D differs: q has 16 ('memref<2x4x16xf32>'), out has 32 ('memref<2x4x32xf32>')}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x9x16xf32>, memref<2x9x16xf32>, memref<1xi32>, memref<2x4x32xf32>
  return
}

// -----

func.func @attention_groups(%q: memref<2x4x16xf32>, %k: memref<2x3x16xf32>, %v: memref<2x3x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{q has 4 heads ('memref<2x4x16xf32>'), which 3 heads of keys do not divide ('memref<2x3x16xf32>')}}
  nn.attention %q, %k, %v into %o : memref<2x4x16xf32>, memref<2x3x16xf32>, memref<2x3x16xf32>, memref<2x4x16xf32>
  return
}

// -----

// The heads of keys may also be known from the caches alone.
func.func @attention_groups_of_caches(%q: memref<2x4x16xf32>, %k: memref<2x?x16xf32>, %v: memref<2x?x16xf32>, %kc: memref<3x9x16xf32>, %vc: memref<3x9x16xf32>, %at: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{q has 4 heads ('memref<2x4x16xf32>'), which 3 heads of keys do not divide}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<2x4x16xf32>, memref<2x?x16xf32>, memref<2x?x16xf32>, memref<3x9x16xf32>, memref<3x9x16xf32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_values(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x4x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{G differs: k has 2 ('memref<2x2x16xf32>'), v has 4 ('memref<2x4x16xf32>')}}
  nn.attention %q, %k, %v into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x4x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_types(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xbf16>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{k and v have different element types, 'f32' and 'bf16'}}
  nn.attention %q, %k, %v into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xbf16>, memref<2x4x16xf32>
  return
}

// -----

// Only the keys of the tokens themselves can be appended; without caches there may be any number.
func.func @attention_new_keys(%q: memref<2x4x16xf32>, %k: memref<3x2x16xf32>, %v: memref<3x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x9x16xf32>, %at: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{T differs: q has 2 ('memref<2x4x16xf32>'), k has 3 ('memref<3x2x16xf32>')}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<2x4x16xf32>, memref<3x2x16xf32>, memref<3x2x16xf32>, memref<2x9x16xf32>, memref<2x9x16xf32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_caches(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x8x16xf32>, %at: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{P differs: key_cache has 9 ('memref<2x9x16xf32>'), value_cache has 8 ('memref<2x8x16xf32>')}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x9x16xf32>, memref<2x8x16xf32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_cache_types(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x9x16xbf16>, %at: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{key_cache and value_cache have different element types, 'f32' and 'bf16'}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x9x16xf32>, memref<2x9x16xbf16>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_too_long(%q: memref<10x4x16xf32>, %k: memref<10x2x16xf32>, %v: memref<10x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x9x16xf32>, %at: memref<1xi32>, %o: memref<10x4x16xf32>) {
  // expected-error@+1 {{has 10 tokens for 9 positions}}
  nn.attention %q, %k, %v cache %kc, %vc at %at into %o : memref<10x4x16xf32>, memref<10x2x16xf32>, memref<10x2x16xf32>, memref<2x9x16xf32>, memref<2x9x16xf32>, memref<1xi32>, memref<10x4x16xf32>
  return
}

// -----

func.func @attention_nowhere(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %kc: memref<2x9x16xf32>, %vc: memref<2x9x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{has caches, but no position at which to append to them}}
  nn.attention %q, %k, %v cache %kc, %vc into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x9x16xf32>, memref<2x9x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_empty_window(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{window is 0; it is a number of positions, at least 1}}
  nn.attention %q, %k, %v into %o {window = 0} : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_window_of_all(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{window needs the mask `causal`, not `none`}}
  nn.attention %q, %k, %v into %o {mask = #nn<mask none>, window = 4} : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_two_windows(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %w: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{has a window and a window_size; one of them says how many positions a token attends to}}
  nn.attention %q, %k, %v at %w window %w into %o {window = 4} : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<1xi32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_window_size_of_all(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %w: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{window_size needs the mask `causal`, not `none`}}
  nn.attention %q, %k, %v at %w window %w into %o {mask = #nn<mask none>} : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<1xi32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_window_size_nowhere(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %w: memref<1xi32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{has a window_size, but no position of the first token}}
  nn.attention %q, %k, %v window %w into %o : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<1xi32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_scale(%q: memref<2x4x16xf32>, %k: memref<2x2x16xf32>, %v: memref<2x2x16xf32>, %o: memref<2x4x16xf32>) {
  // expected-error@+1 {{scale is -5.000000e-01; it is a positive number}}
  nn.attention %q, %k, %v into %o {scale = -0.5 : f32} : memref<2x4x16xf32>, memref<2x2x16xf32>, memref<2x2x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @attention_one_cache(%q: memref<2x4x16xf32>, %kc: memref<4x9x16xf32>, %at: memref<1xi32>) {
  // expected-error@+1 {{has a key cache, but no value cache}}
  "nn.attention"(%q, %q, %q, %kc, %at, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0, 1>}> : (memref<2x4x16xf32>, memref<2x4x16xf32>, memref<2x4x16xf32>, memref<4x9x16xf32>, memref<1xi32>, memref<2x4x16xf32>) -> ()
  return
}

// -----

func.func @attention_operands(%q: memref<2x4x16xf32>) {
  // expected-error@+1 {{takes q, k, v, key_cache or none, value_cache or none, position or none, window_size or none, and out}}
  "nn.attention"(%q, %q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>}> : (memref<2x4x16xf32>, memref<2x4x16xf32>, memref<2x4x16xf32>, memref<2x4x16xf32>) -> ()
  return
}

// -----

func.func @softmax(%x: memref<2x8xf32>, %o: memref<8x2xf32>) {
  // expected-error@+1 {{x and out have different shapes, 'memref<2x8xf32>' and 'memref<8x2xf32>'}}
  nn.softmax %x into %o : memref<2x8xf32>, memref<8x2xf32>
  return
}

// -----

func.func @gelu(%x: memref<2x8xf32>, %o: memref<16xf32>) {
  // expected-error@+1 {{x and out have different shapes, 'memref<2x8xf32>' and 'memref<16xf32>'}}
  nn.gelu %x into %o : memref<2x8xf32>, memref<16xf32>
  return
}

// -----

func.func @gelu_type(%x: memref<2x8xi32>, %o: memref<2x8xf32>) {
  // expected-error@+1 {{operand #0 must be f32 or bf16 of any shape such as memref<?x?xf32> or tensor<?x?xf32>, but got 'memref<2x8xi32>'}}
  nn.gelu %x into %o : memref<2x8xi32>, memref<2x8xf32>
  return
}

// -----

func.func @add(%x: memref<2x8xf32>, %y: memref<8xf32>) {
  // expected-error@+1 {{a and b have different shapes, 'memref<2x8xf32>' and 'memref<8xf32>'}}
  nn.add %x, %y into %x : memref<2x8xf32>, memref<8xf32>, memref<2x8xf32>
  return
}

// -----

func.func @add_out(%x: memref<2x8xf32>, %o: memref<2x9xf32>) {
  // expected-error@+1 {{a and out have different shapes, 'memref<2x8xf32>' and 'memref<2x9xf32>'}}
  nn.add %x, %x into %o : memref<2x8xf32>, memref<2x8xf32>, memref<2x9xf32>
  return
}

// -----

func.func @argmax(%x: memref<8xf32>, %o: memref<8xi32>) {
  // expected-error@+1 {{out must hold 1 element, not 8 ('memref<8xi32>')}}
  nn.argmax %x into %o : memref<8xf32>, memref<8xi32>
  return
}

// -----

func.func @argmax_type(%x: memref<8xbf16>, %o: memref<1xi32>) {
  // expected-error@+1 {{operand #0 must be a vector of f32 such as memref<?xf32> or tensor<?xf32>, but got 'memref<8xbf16>'}}
  nn.argmax %x into %o : memref<8xbf16>, memref<1xi32>
  return
}

// -----

func.func @sample(%x: memref<8xf32>, %s: memref<4xf32>, %state: memref<1xi64>, %t: f32, %k: i32, %o: memref<1xi32>) {
  // expected-error@+1 {{V differs: logits has 8 ('memref<8xf32>'), scratch has 4 ('memref<4xf32>')}}
  nn.sample %x, %s, %state temperature %t top_k %k top_p %t into %o : memref<8xf32>, memref<4xf32>, memref<1xi64>, memref<1xi32>
  return
}

// -----

func.func @norm_linear_inner(%x: memref<1x8xf32>, %g: memref<4xf32>, %e: f32, %n: memref<1x8xf32>, %w: memref<4x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{K differs: x has 8 ('memref<1x8xf32>'), norm_weight has 4 ('memref<4xf32>')}}
  nn.norm_linear %x, %g, %g epsilon %e through %n, %w into %o : memref<1x8xf32>, memref<4xf32>, memref<4xf32>, f32, memref<1x8xf32>, memref<4x8xf32>, memref<1x4xf32>
  return
}

// -----

func.func @rms_norm_inner(%x: memref<1x8xf32>, %g: memref<4xf32>, %e: f32, %n: memref<1x8xf32>, %w: memref<4x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{K differs: x has 8 ('memref<1x8xf32>'), norm_weight has 4 ('memref<4xf32>')}}
  nn.norm_linear %x, %g epsilon %e through %n, %w into %o : memref<1x8xf32>, memref<4xf32>, f32, memref<1x8xf32>, memref<4x8xf32>, memref<1x4xf32>
  return
}

// -----

func.func @gated_rows(%x: memref<2x8xf32>, %g: memref<8xf32>, %e: f32, %n: memref<2x8xf32>, %w: memref<8x8xf32>, %o: memref<2x4xf32>) {
  // expected-error@+1 {{gated takes one row, and x is 'memref<2x8xf32>'}}
  nn.norm_linear %x, %g epsilon %e through %n, %w into %o {gated} : memref<2x8xf32>, memref<8xf32>, f32, memref<2x8xf32>, memref<8x8xf32>, memref<2x4xf32>
  return
}

// -----

func.func @gated_outputs(%x: memref<1x8xf32>, %g: memref<8xf32>, %e: f32, %n: memref<1x8xf32>, %w: memref<4x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{gated takes a weight of 8 rows, twice the columns of out, not 4}}
  nn.norm_linear %x, %g epsilon %e through %n, %w into %o {gated} : memref<1x8xf32>, memref<8xf32>, f32, memref<1x8xf32>, memref<4x8xf32>, memref<1x4xf32>
  return
}

// -----

func.func @linears_inner(%x: memref<1x8xf32>, %w: memref<4x8xf32>, %v: memref<2x6xf32>, %o: memref<1x4xf32>, %p: memref<1x2xf32>) {
  // expected-error@+1 {{K differs: x has 8 ('memref<1x8xf32>'), weight2 has 6 ('memref<2x6xf32>')}}
  nn.linears %x, %w, %v into2 %p into %o : memref<1x8xf32>, memref<4x8xf32>, memref<2x6xf32>, memref<1x2xf32>, memref<1x4xf32>
  return
}

// -----

func.func @linears_columns(%x: memref<1x8xf32>, %w: memref<4x8xf32>, %v: memref<2x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{M differs: weight2 has 2 ('memref<2x8xf32>'), out2 has 4 ('memref<1x4xf32>')}}
  nn.linears %x, %w, %v into2 %o into %o : memref<1x8xf32>, memref<4x8xf32>, memref<2x8xf32>, memref<1x4xf32>, memref<1x4xf32>
  return
}

// -----

func.func @linears_types(%x: memref<1x8xf32>, %w: memref<4x8xf32>, %v: memref<4x8xbf16>, %o: memref<1x4xf32>, %p: memref<1x4xf32>) {
  // expected-error@+1 {{weight and weight2 have different element types, 'f32' and 'bf16'}}
  nn.linears %x, %w, %v into2 %p into %o : memref<1x8xf32>, memref<4x8xf32>, memref<4x8xbf16>, memref<1x4xf32>, memref<1x4xf32>
  return
}

// -----

func.func @linears_third(%x: memref<1x8xf32>, %w: memref<4x8xf32>, %o: memref<1x4xf32>, %p: memref<1x4xf32>, %q: memref<1x4xf32>) {
  // expected-error@+1 {{has out3, but no weight3}}
  nn.linears %x, %w, %w into2 %p into3 %q into %o : memref<1x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<1x4xf32>, memref<1x4xf32>, memref<1x4xf32>
  return
}

// -----

func.func @linears_overlap(%x: memref<1x8xf32>, %w: memref<4x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{x, out, out2 and out3 must not be the same memory}}
  nn.linears %x, %w, %w into2 %o into %o : memref<1x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<1x4xf32>, memref<1x4xf32>
  return
}

// -----

func.func @norm_linears_overlap(%x: memref<1x8xf32>, %g: memref<8xf32>, %e: f32, %w: memref<4x8xf32>, %o: memref<1x4xf32>, %p: memref<1x4xf32>) {
  // expected-error@+1 {{normed must not be the memory of x, out, out2 or out3}}
  nn.norm_linears %x, %g epsilon %e through %x, %w, %w into2 %p into %o : memref<1x8xf32>, memref<8xf32>, f32, memref<1x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<1x4xf32>, memref<1x4xf32>
  return
}

// -----

func.func @norm_product_overlap(%x: memref<2x8xf32>, %g: memref<8xf32>, %e: f32, %f: memref<?xbf16>, %w: memref<8x8xf32>) {
  // expected-error@+1 {{x and out must not be the same memory}}
  nn.norm_product %x, %g, %g epsilon %e through %f, %w into %x : memref<2x8xf32>, memref<8xf32>, memref<8xf32>, f32, memref<?xbf16>, memref<8x8xf32>, memref<2x8xf32>
  return
}

// -----

func.func @norm_product_inner(%x: memref<2x8xf32>, %g: memref<8xf32>, %h: memref<4xf32>, %e: f32, %f: memref<?xbf16>, %w: memref<4x8xf32>, %o: memref<2x4xf32>) {
  // expected-error@+1 {{K differs: x has 8 ('memref<2x8xf32>'), norm_bias has 4 ('memref<4xf32>')}}
  nn.norm_product %x, %g, %h epsilon %e through %f, %w into %o : memref<2x8xf32>, memref<8xf32>, memref<4xf32>, f32, memref<?xbf16>, memref<4x8xf32>, memref<2x4xf32>
  return
}

// -----

func.func @norm_linear_overlap(%x: memref<1x8xf32>, %g: memref<8xf32>, %e: f32, %w: memref<4x8xf32>, %o: memref<1x4xf32>) {
  // expected-error@+1 {{x, normed and out must not be the same memory}}
  nn.norm_linear %x, %g, %g epsilon %e through %x, %w into %o : memref<1x8xf32>, memref<8xf32>, memref<8xf32>, f32, memref<1x8xf32>, memref<4x8xf32>, memref<1x4xf32>
  return
}

// -----

// expected-error @below {{nn.template is the name of an op, on a function}}
func.func private @f() attributes {nn.template = 1 : i64}

// -----

// expected-error @below {{nn.template_targets is for functions with nn.template}}
func.func private @f() attributes {nn.template_targets = ["cpu"]}

// -----

// expected-error @below {{nn.template_attributes is an array of names}}
func.func private @f(%activation: i64) attributes {nn.template = "nn.linear", nn.template_attributes = "activation"}

// -----

// expected-error @below {{nn.template_values has "activation", which nn.template_attributes lacks}}
func.func private @f(%activation: i64) attributes {nn.template = "nn.linear", nn.template_values = ["activation"]}

// -----

// expected-error @below {{nn.template_sizes has array<i64: 0, 2, 64>, which is no [operand, dimension, size ...] of its parameters}}
func.func private @f(%x: memref<?x?xf32>) attributes {nn.template = "nn.gelu", nn.template_sizes = [array<i64: 0, 2, 64>]}

// -----

// expected-error @below {{nn.template_groups has "attention", which is no kind of group that "nn.gelu" computes}}
func.func private @f(%x: memref<?x?xf32>) attributes {nn.template = "nn.gelu", nn.template_groups = ["attention"]}

// -----

// expected-error @below {{nn.template_kernels is a unit attribute, on a gpu.module}}
func.func private @f() attributes {nn.template_kernels}

// -----

// expected-error @below {{the nn dialect has no attribute `nn.templates`}}
func.func private @f() attributes {nn.templates}

// -----

func.func @rotated_pairs(%q: memref<1x4x16xf32>, %kc: memref<4x9x16xf32>, %c: memref<1x16xf32>) {
  // expected-error@+1 {{has 16 cosines for heads of 16; there are two numbers for each}}
  nn.rotated_attention %q, %q, %q by %c, %c through %q cache %kc, %kc into %q : memref<1x4x16xf32>, memref<1x4x16xf32>, memref<1x4x16xf32>, memref<1x16xf32>, memref<1x16xf32>, memref<1x4x16xf32>, memref<4x9x16xf32>, memref<4x9x16xf32>, memref<1x4x16xf32>
  return
}

// -----

func.func @rotated_tokens(%q: memref<2x4x16xf32>, %kc: memref<4x9x16xf32>, %c: memref<2x8xf32>) {
  // expected-error@+1 {{q must hold 1 element, not 2}}
  nn.rotated_attention %q, %q, %q by %c, %c through %q cache %kc, %kc into %q : memref<2x4x16xf32>, memref<2x4x16xf32>, memref<2x4x16xf32>, memref<2x8xf32>, memref<2x8xf32>, memref<2x4x16xf32>, memref<4x9x16xf32>, memref<4x9x16xf32>, memref<2x4x16xf32>
  return
}

// -----

func.func @tensor_into_memref(%x: tensor<2x4xf32>, %o: memref<2x4xf32>) {
  // expected-error@+1 {{takes tensors or memrefs, not both: x is a tensor ('tensor<2x4xf32>'), out a memref ('memref<2x4xf32>')}}
  nn.softmax %x into %o : tensor<2x4xf32>, memref<2x4xf32>
  return
}

// -----

func.func @memref_of_weights(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %b: memref<8xf32>, %o: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@+1 {{takes tensors or memrefs, not both: x is a tensor ('tensor<2x4xf32>'), bias a memref ('memref<8xf32>')}}
  %y = nn.linear %x, %w bias %b into %o : tensor<2x4xf32>, tensor<8x4xf32>, memref<8xf32>, tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @tensor_as_cache(%q: tensor<1x4x16xf32>, %k: tensor<2x9x16xf32>, %at: tensor<1xi32>) -> tensor<1x4x16xf32> {
  // expected-error@+1 {{key_cache is a tensor ('tensor<2x9x16xf32>'): what stays in memory between calls is a memref, also of an op on tensors}}
  %y = nn.attention %q, %q, %q cache %k, %k at %at into %q : tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<1x4x16xf32>, tensor<2x9x16xf32>, tensor<2x9x16xf32>, tensor<1xi32>, tensor<1x4x16xf32>
  return %y : tensor<1x4x16xf32>
}

// -----

func.func @sizes_of_tensors(%x: tensor<2x768xf32>, %w: tensor<3072x1024xf32>, %o: tensor<2x3072xf32>) -> tensor<2x3072xf32> {
  // expected-error@+1 {{K differs: x has 768 ('tensor<2x768xf32>'), weight has 1024 ('tensor<3072x1024xf32>')}}
  %y = nn.linear %x, %w into %o : tensor<2x768xf32>, tensor<3072x1024xf32>, tensor<2x3072xf32>
  return %y : tensor<2x3072xf32>
}

// -----

func.func @result_of_memrefs(%x: memref<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %y = "nn.softmax"(%x, %x) : (memref<2x4xf32>, memref<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @lists_of_rows(%at: memref<5xi32>, %rows: memref<5x8xf32>, %lists: memref<14xi32>, %o: memref<3x8xf32>) {
  // expected-error@+1 {{scratch must hold 18 elements, 2 V + 2 N + 2, not 14}}
  nn.add_at %at, %rows, %lists into %o : memref<5xi32>, memref<5x8xf32>, memref<14xi32>, memref<3x8xf32>
  return
}

// -----

func.func @width_of_rows(%at: memref<5xi32>, %rows: memref<5x8xf32>, %lists: memref<18xi32>, %o: memref<3x4xf32>) {
  // expected-error@+1 {{C differs: rows has 8 ('memref<5x8xf32>'), out has 4 ('memref<3x4xf32>')}}
  nn.add_at %at, %rows, %lists into %o : memref<5xi32>, memref<5x8xf32>, memref<18xi32>, memref<3x4xf32>
  return
}

// -----

func.func @type_of_rows(%at: memref<5xi32>, %rows: memref<5x8xbf16>, %last: memref<3xi32>, %o: memref<3x8xf32>) {
  // expected-error@+1 {{rows and out have different element types, 'bf16' and 'f32'}}
  nn.set_at %at, %rows, %last into %o : memref<5xi32>, memref<5x8xbf16>, memref<3xi32>, memref<3x8xf32>
  return
}

// -----

func.func @last_rows(%at: memref<5xi32>, %rows: memref<5x8xf32>, %last: memref<5xi32>, %o: memref<3x8xf32>) {
  // expected-error@+1 {{V differs: out has 3 ('memref<3x8xf32>'), scratch has 5 ('memref<5xi32>')}}
  nn.set_at %at, %rows, %last into %o : memref<5xi32>, memref<5x8xf32>, memref<5xi32>, memref<3x8xf32>
  return
}

// -----

func.func @narrow_rows(%at: memref<5xi32>, %rows: memref<5x8xbf16>, %o: memref<3x8xbf16>) {
  // expected-error@+1 {{operand #1 must be a matrix of i32, i64, f32 or f64 such as memref<?x?xf32> or tensor<?x?xf32>, but got 'memref<5x8xbf16>'}}
  nn.extreme_at %at, %rows into %o : memref<5xi32>, memref<5x8xbf16>, memref<3x8xbf16>
  return
}

// -----

func.func @more_places(%x: memref<2x8xf32>, %scratch: memref<560xi64>, %d: i32, %o: memref<2x9xi32>) {
  // expected-error@+1 {{out has 9 places of rows of 8 elements}}
  nn.argsort %x, %scratch descending %d into %o : memref<2x8xf32>, memref<560xi64>, memref<2x9xi32>
  return
}

// -----

func.func @small_scratch(%x: memref<2x8xf32>, %scratch: memref<500xi64>, %d: i32, %o: memref<2x3xi32>) {
  // expected-error@+1 {{scratch must hold 560 elements, R (3 N + 256), not 500}}
  nn.argsort %x, %scratch descending %d into %o : memref<2x8xf32>, memref<500xi64>, memref<2x3xi32>
  return
}
