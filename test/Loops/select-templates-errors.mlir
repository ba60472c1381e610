// RUN: lispier-opt %s -split-input-file -lispier-select-templates -verify-diagnostics

// expected-error@+1 {{template for "nn.linaer", which is not an op}}
func.func private @misspelt(%x: memref<?x?xf32>) attributes {lispier.template = "nn.linaer"} {
  return
}

// -----

// expected-error@+1 {{a template of nn.argmax returns nothing, this one returns 'i32'}}
func.func private @returns(%x: memref<?xf32>, %o: memref<1xi32>) -> i32 attributes {lispier.template = "nn.argmax"} {
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// -----

// expected-error@+1 {{a template of nn.layer_norm has 4 parameters for operands and 1 for attributes, this one has 4}}
func.func private @too_few(%x: memref<?x?xf32>, %w: memref<?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>)
    attributes {lispier.template = "nn.layer_norm", lispier.template_attributes = ["epsilon"]} {
  return
}
func.func @f(%x: memref<?x?xf32>, %w: memref<?xf32>) {
  // expected-note@+1 {{the op is here}}
  nn.layer_norm %x, %w, %w into %x : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?x?xf32>
  return
}

// -----

// expected-error@+1 {{nn.softmax has no attribute "epsilon"}}
func.func private @unknown(%x: memref<?x?xf32>, %o: memref<?x?xf32>, %epsilon: f32)
    attributes {lispier.template = "nn.softmax", lispier.template_attributes = ["epsilon"]} {
  return
}
func.func @f(%x: memref<?x?xf32>) {
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// expected-error@+1 {{the parameter for attribute "epsilon" of nn.layer_norm is 'i64', which does not fit 9.99999974E-6 : f32: floats are passed as f32, integers and choices as i64}}
func.func private @type(%x: memref<?x?xf32>, %w: memref<?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>, %epsilon: i64)
    attributes {lispier.template = "nn.layer_norm", lispier.template_attributes = ["epsilon"]} {
  return
}
func.func @f(%x: memref<?x?xf32>, %w: memref<?xf32>) {
  nn.layer_norm %x, %w, %w into %x : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?x?xf32>
  return
}
