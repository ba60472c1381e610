// RUN: lispier-opt %s -lispier-check-processor-ops='features=amx-tile,avx' -split-input-file -verify-diagnostics -o /dev/null
// RUN: not lispier-opt %s -lispier-check-processor-ops='features=avx512bf16,amx-fp16' -split-input-file -o /dev/null 2>&1 | FileCheck %s
// CHECK: op `amx.tile_zero` needs a processor with amx-tile
func.func @tiles(%m: memref<16x64xf32>, %i: index, %a: !amx.tile<16x32xbf16>, %h: !amx.tile<16x32xf16>) {
  %zero = amx.tile_zero : !amx.tile<8x16xf32>
  amx.tile_store %m[%i, %i], %zero : memref<16x64xf32>, !amx.tile<8x16xf32>
  return
}

// -----

func.func @product(%a: !amx.tile<16x32xbf16>, %c: !amx.tile<16x16xf32>) {
  // expected-error @below {{op `amx.tile_mulf` needs a processor with amx-bf16, and the one to compile for does not have it}}
  %d = amx.tile_mulf %a, %a, %c : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  return
}

// -----

func.func @half(%a: !amx.tile<16x32xf16>, %c: !amx.tile<16x16xf32>) {
  // expected-error @below {{op `amx.tile_mulf` needs a processor with amx-fp16}}
  %d = amx.tile_mulf %a, %a, %c : !amx.tile<16x32xf16>, !amx.tile<16x32xf16>, !amx.tile<16x16xf32>
  return
}

// -----

func.func @vectors(%x: vector<8xf32>, %s: vector<16xf32>, %a: vector<32xbf16>) {
  %r = x86vector.avx.rsqrt %x : vector<8xf32>
  // expected-error @below {{op `x86vector.avx512.dot` needs a processor with avx512bf16}}
  %d = x86vector.avx512.dot %s, %a, %a : vector<32xbf16> -> vector<16xf32>
  return
}

// -----

func.func @foreign() -> i32 {
  // expected-error @below {{op `nvvm.read.ptx.sreg.tid.x` is an instruction of other machines; this is host code}}
  %x = nvvm.read.ptx.sreg.tid.x : i32
  return %x : i32
}
