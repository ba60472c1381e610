// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=cuda:sm_80 format=ptx output=%t.80' -o /dev/null
// RUN: FileCheck %s --input-file=%t.80 --check-prefixes=CHECK,SM80
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=cuda:sm_90a format=ptx output=%t.90a' -o /dev/null
// RUN: FileCheck %s --input-file=%t.90a --check-prefixes=CHECK,SM90A

// The PTX version is the oldest with what the chip has.
// SM80: .version 8.0
// SM80-NEXT: .target sm_80
// SM90A: .version 8.3
// SM90A-NEXT: .target sm_90a

gpu.module @kernels {
  // 16 bytes an access, fused multiply-add, a pointer and no size for each memref, lines of the source.
  // CHECK-LABEL: .entry vectors(
  // CHECK-NEXT: .param .u64 {{.*}}vectors_param_0,
  // CHECK-NEXT: .param .u64 {{.*}}vectors_param_1
  // CHECK-NEXT: )
  // CHECK: .loc 1 [[#@LINE + 9]]
  // CHECK: ld.global.v4.b32
  // CHECK-COUNT-4: fma.rn.f32
  // CHECK: st.global.v4.b32
  // CHECK: ret
  gpu.func @vectors(%a: memref<?xf32>, %b: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %c4 = arith.constant 4 : index
    %j = arith.muli %i, %c4 : index
    %x = vector.load %a[%j] : memref<?xf32>, vector<4xf32>
    %y = arith.mulf %x, %x : vector<4xf32>
    %z = arith.addf %y, %x : vector<4xf32>
    vector.store %z, %b[%j] : memref<?xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry block_sum(
  // CHECK: .maxntid 256
  // CHECK: .shared .align 16 .b8 {{.*}}[32]
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared
  // CHECK: bar.sync
  // CHECK: ld.shared
  // CHECK-COUNT-3: shfl.sync.bfly.b32
  // CHECK-NOT: shfl
  // CHECK: ret
  gpu.func @block_sum(%a: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<256xf32>
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    memref.store %s, %a[%i] : memref<256xf32>
    gpu.return
  }

  // Every mode; half floats travel in a word, 64 bits in two. The width is that of the op.
  // CHECK-LABEL: .entry shuffles(
  // CHECK-DAG: shfl.sync.up.b32 {{.*}}, 3, {{.*}}, -1
  // CHECK-DAG: shfl.sync.down.b32
  // CHECK-DAG: shfl.sync.idx.b32
  // CHECK-DAG: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1
  gpu.func @shuffles(%a: memref<32xf32>, %b: memref<32xf16>, %c: memref<32xi64>) kernel {
    %i = gpu.thread_id x
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %w = arith.constant 32 : i32
    %x = memref.load %a[%i] : memref<32xf32>
    %u, %uv = gpu.shuffle up %x, %three, %w : f32
    %d, %dv = gpu.shuffle down %u, %three, %w : f32
    %e, %ev = gpu.shuffle idx %d, %three, %w : f32
    %f = arith.select %uv, %e, %x : f32
    memref.store %f, %a[%i] : memref<32xf32>
    %h = memref.load %b[%i] : memref<32xf16>
    %hs, %hv = gpu.shuffle xor %h, %four, %w : f16
    memref.store %hs, %b[%i] : memref<32xf16>
    %l = memref.load %c[%i] : memref<32xi64>
    %ls, %lv = gpu.shuffle down %l, %four, %w : i64
    memref.store %ls, %c[%i] : memref<32xi64>
    gpu.return
  }

  // Groups of eight lanes, in a branch: a shuffle names the lanes of its own group, and waits for no other.
  // CHECK-LABEL: .entry groups(
  // CHECK: mov.u32 [[LANE:%r[0-9]+]], %laneid;
  // CHECK: and.b32 [[FIRST:%r[0-9]+]], [[LANE]], {{-8|24}};
  // CHECK: shl.b32 [[MASK:%r[0-9]+]], {{.*}}, [[FIRST]];
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, [[MASK]];
  // CHECK: shfl.sync.idx.b32 {{.*}}, 31, [[MASK]];
  // CHECK: shfl.sync.idx.b32 {{.*}}, 31, %r
  // CHECK-NOT: shfl
  gpu.func @groups(%a: memref<32xi32>, %width: i32) kernel {
    %i = gpu.thread_id x
    %two = arith.constant 2 : i32
    %eight = arith.constant 8 : i32
    %half = arith.constant 8 : index
    %x = memref.load %a[%i] : memref<32xi32>
    %some = arith.cmpi ult, %i, %half : index
    scf.if %some {
      %p, %pv = gpu.shuffle xor %x, %two, %eight : i32
      %u, %uv = gpu.shuffle up %p, %two, %eight : i32
      %v = arith.extui %uv : i1 to i32
      %s = arith.addi %u, %v : i32
      %f, %fv = gpu.shuffle idx %s, %two, %width : i32
      memref.store %f, %a[%i] : memref<32xi32>
    }
    gpu.return
  }

  // Shared memory whose size the launch gives, and a stack.
  // CHECK-LABEL: .entry dynamic_shared(
  // CHECK: .local
  // CHECK: st.shared
  // CHECK: bar.sync
  gpu.func @dynamic_shared(%a: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %n = gpu.block_dim x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %v = memref.view %s[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %v[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %v[%c0] : memref<?xf32, #gpu.address_space<workgroup>>
    %p = memref.alloca() : memref<8xf32>
    memref.store %x, %p[%i] : memref<8xf32>
    memref.store %y, %p[%c0] : memref<8xf32>
    %z = memref.load %p[%i] : memref<8xf32>
    memref.store %z, %a[%i] : memref<?xf32>
    gpu.return
  }

  // No device library: exp and tanh are polynomials, the square root is an instruction.
  // CHECK-LABEL: .entry math(
  // CHECK-NOT: call
  // CHECK: sqrt.rn.f32
  // CHECK: ret
  gpu.func @math(%a: memref<?xf32>, %b: memref<?xbf16>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xf32>
    %e = math.exp %x : f32
    %t = math.tanh %e : f32
    %p = math.powf %t, %x : f32
    %s = math.sqrt %p : f32
    memref.store %s, %a[%i] : memref<?xf32>
    %h = memref.load %b[%i] : memref<?xbf16>
    %r = math.rsqrt %h : bf16
    memref.store %r, %b[%i] : memref<?xbf16>
    gpu.return
  }

  // Nor for f64, of any function.
  // CHECK-LABEL: .entry doubles(
  // CHECK-NOT: call
  // CHECK: fma.rn.f64
  // CHECK-NOT: call
  // CHECK: ret
  gpu.func @doubles(%a: memref<?xf64>) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %a[%i] : memref<?xf64>
    %1 = math.exp %0 : f64
    %2 = math.exp2 %1 : f64
    %3 = math.expm1 %2 : f64
    %4 = math.log %3 : f64
    %5 = math.log2 %4 : f64
    %6 = math.log10 %5 : f64
    %7 = math.log1p %6 : f64
    %8 = math.tanh %7 : f64
    %9 = math.sinh %8 : f64
    %10 = math.cosh %9 : f64
    %11 = math.erf %10 : f64
    %12 = math.erfc %11 : f64
    %13 = math.sin %12 : f64
    %14 = math.cos %13 : f64
    %15 = math.tan %14 : f64
    %16 = math.asin %15 : f64
    %17 = math.acos %16 : f64
    %18 = math.atan %17 : f64
    %19 = math.asinh %18 : f64
    %20 = math.acosh %19 : f64
    %21 = math.atanh %20 : f64
    %22 = math.cbrt %21 : f64
    %23 = math.rsqrt %22 : f64
    %24 = math.atan2 %23, %0 : f64
    %25 = math.powf %24, %0 : f64
    memref.store %25, %a[%i] : memref<?xf64>
    gpu.return
  }
}
