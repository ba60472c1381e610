// RUN: lispier-opt %s -lispier-select-templates='target=gpu features=wgmma,warp32 why=nn.softmax' -verify-diagnostics -o /dev/null

// Which implementation is selected for an op, and the first reason against each other one, in the order of the checks.

// expected-note@+1 {{it is for cpu}}
func.func private @other_target(%x: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["cpu"]} {
  return
}
// expected-note@+1 {{it needs mfma}}
func.func private @ability(%x: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["cpu", "gpu+mfma"]} {
  return
}
// expected-note@+1 {{operand 0 is memref<8x80xf32>, it takes memref<?x?xbf16>}}
func.func private @element(%x: memref<?x?xbf16>, %o: memref<?x?xbf16>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["gpu"]} {
  return
}
// A size that it has no code for is refused, never computed as another.
// expected-note@+1 {{operand 0 has size 80 in dimension 1, it has code for 64, 128}}
func.func private @size(%x: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["gpu"],
                nn.template_sizes = [array<i64: 0, 1, 64, 128>]} {
  return
}
// An implementation without a body only appears in these remarks.
// expected-note@+1 {{it needs clusters}}
func.func private @head(memref<?x?xf32>, memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["gpu+clusters"]}
// expected-note@+1 {{this one is taken}}
func.func private @taken(%x: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["gpu+wgmma"]} {
  return
}
// expected-note@+1 {{another is taken before it}}
func.func private @behind(%x: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["gpu"]} {
  return
}

func.func @of_80(%x: memref<8x80xf32>) {
  // expected-remark@+1 {{nn.softmax is computed by one of 7 implementations}}
  nn.softmax %x into %x : memref<8x80xf32>, memref<8x80xf32>
  return
}
