// RUN: lispier-opt %s -split-input-file -lispier-select-templates -verify-diagnostics

// expected-error@+1 {{template for "nn.linaer", which is not an op}}
func.func private @misspelt(%x: memref<?x?xf32>) attributes {nn.template = "nn.linaer"} {
  return
}

// -----

// expected-error@+1 {{a template of nn.argmax returns nothing, this one returns 'i32'}}
func.func private @returns(%x: memref<?xf32>, %o: memref<1xi32>) -> i32 attributes {nn.template = "nn.argmax"} {
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// -----

// expected-error@+1 {{a template of nn.linear has 5 parameters for operands and 1 for attributes, this one has 5}}
func.func private @too_few(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.linear", nn.template_attributes = ["activation"]} {
  return
}
func.func @f(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) {
  // expected-note@+1 {{the op is here}}
  nn.linear %x, %w into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// expected-error@+1 {{nn.softmax has no attribute "epsilon"}}
func.func private @unknown(%x: memref<?x?xf32>, %o: memref<?x?xf32>, %epsilon: f32)
    attributes {nn.template = "nn.softmax", nn.template_attributes = ["epsilon"]} {
  return
}
func.func @f(%x: memref<?x?xf32>) {
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// expected-error@+1 {{the parameter for attribute "activation" of nn.linear is 'f32', which does not fit #nn<activation none>: floats are passed as f32, integers and choices as i64}}
func.func private @type(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>, %activation: f32)
    attributes {nn.template = "nn.linear", nn.template_attributes = ["activation"]} {
  return
}
func.func @f(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) {
  nn.linear %x, %w into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}
