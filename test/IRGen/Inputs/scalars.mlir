// arith, math, index, complex, func, cf, scf, llvm
module attributes {test.name = "scalars", test.version = 2 : i32} {
  func.func private @declared(memref<4xf32>, !llvm.ptr) -> i32
  func.func private @with_interface(memref<?xf32>) attributes {llvm.emit_c_interface}
  func.func @constants() -> (f32, f64, bf16, i1, index, i128, vector<4xf32>, tensor<2x2xi8>) {
    %0 = arith.constant 1.0e-5 : f32
    %1 = arith.constant -0.0 : f64
    %2 = arith.constant 0xFF80 : bf16
    %3 = arith.constant true
    %4 = arith.constant -3 : index
    %5 = arith.constant 170141183460469231731687303715884105727 : i128
    %6 = arith.constant dense<[1.0, -2.5, 0x7F800000, 3.14159274]> : vector<4xf32>
    %7 = arith.constant dense<[[1, 2], [-3, 4]]> : tensor<2x2xi8>
    %nan = arith.constant 0x7FC00000 : f32
    %third = arith.constant 0.3333333333333333 : f64
    %large = arith.constant 1.0e+30 : f32
    return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f64, bf16, i1, index, i128, vector<4xf32>, tensor<2x2xi8>
  }
  func.func @arithmetic(%a: i32, %b: i32, %x: f32, %y: f32, %i: index) -> (i32, f32) attributes {llvm.emit_c_interface} {
    %0 = arith.addi %a, %b overflow<nsw, nuw> : i32
    %1 = arith.subi %0, %b : i32
    %2 = arith.muli %1, %a : i32
    %3 = arith.divsi %2, %b : i32
    %4 = arith.remui %3, %b : i32
    %5 = arith.andi %4, %a : i32
    %6 = arith.shli %5, %b : i32
    %7 = arith.maxsi %6, %a : i32
    %8 = arith.cmpi ult, %7, %a : i32
    %9 = arith.select %8, %a, %7 : i32
    %lo, %hi = arith.mului_extended %9, %a : i32
    %sum, %carry = arith.addui_extended %lo, %hi : i32, i1
    %10 = arith.addf %x, %y fastmath<contract,nnan> : f32
    %11 = arith.mulf %10, %y : f32
    %12 = arith.negf %11 : f32
    %13 = arith.maximumf %12, %x : f32
    %14 = arith.cmpf ogt, %13, %x fastmath<fast> : f32
    %15 = arith.extf %13 : f32 to f64
    %16 = arith.truncf %15 to_nearest_even : f64 to bf16
    %17 = arith.sitofp %sum : i32 to f32
    %18 = arith.fptosi %17 : f32 to i32
    %19 = arith.index_cast %i : index to i64
    %20 = arith.trunci %19 : i64 to i8
    %21 = arith.extui %20 : i8 to i32
    %22 = arith.bitcast %21 : i32 to f32
    return %18, %22 : i32, f32
  }
  func.func @math(%x: f32, %v: vector<8xf32>, %n: i32) -> vector<8xf32> {
    %0 = math.exp %x : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    %2 = math.fma %0, %1, %x : f32
    %3 = math.powf %2, %x : f32
    %4 = math.rsqrt %v : vector<8xf32>
    %5 = math.absf %4 : vector<8xf32>
    %6 = math.ctpop %n : i32
    %7 = math.fpowi %3, %6 : f32, i32
    %8 = math.copysign %5, %v : vector<8xf32>
    return %8 : vector<8xf32>
  }
  func.func @index(%a: index, %b: index) -> i1 {
    %0 = index.constant 17
    %1 = index.add %a, %0
    %2 = index.ceildivs %1, %b
    %3 = index.casts %2 : index to i32
    %4 = index.sizeof
    %5 = index.bool.constant true
    %6 = index.cmp slt(%2, %4)
    return %6 : i1
  }
  func.func @complex(%re: f32, %im: f32) -> f32 {
    %0 = complex.create %re, %im : complex<f32>
    %1 = complex.constant [1.0 : f32, -1.0 : f32] : complex<f32>
    %2 = complex.mul %0, %1 fastmath<contract> : complex<f32>
    %3 = complex.exp %2 : complex<f32>
    %4 = complex.abs %3 : complex<f32>
    %5 = complex.re %3 : complex<f32>
    %6 = complex.eq %3, %2 : complex<f32>
    return %4 : f32
  }
  func.func @calls(%a: i32, %b: i32, %x: f32, %i: index) -> i32 {
    %0:2 = call @arithmetic(%a, %b, %x, %x, %i) : (i32, i32, f32, f32, index) -> (i32, f32)
    %1:2 = call @arithmetic(%a, %b, %x, %x, %i) {no_inline, test.note = "@twice"} : (i32, i32, f32, f32, index) -> (i32, f32)
    %f = constant @complex : (f32, f32) -> f32
    %2 = call_indirect %f(%x, %0#1) : (f32, f32) -> f32
    return %0#0 : i32
  }
  func.func @blocks(%c: i1, %n: i32, %x: i64) -> i64 {
    cf.cond_br %c weights([90, 10]), ^a(%x : i64), ^b(%x, %n : i64, i32)
  ^a(%0: i64):
    %1 = arith.addi %0, %x : i64
    cf.br ^b(%1, %n : i64, i32)
  ^b(%2: i64, %3: i32):
    cf.assert %c, "a \"message\"\n, with 100%"
    cf.switch %3 : i32, [
      default: ^d(%2 : i64),
      -7: ^c,
      42: ^d(%x : i64)
    ]
  ^c:
    cf.br ^a(%2 : i64)
  ^d(%4: i64):
    return %4 : i64
  }
  func.func @loops(%lo: index, %hi: index, %step: index, %x: f32, %c: i1, %n: i64) -> (f32, i64) {
    %0 = scf.for %i = %lo to %hi step %step iter_args(%acc = %x) -> (f32) {
      %s = arith.addf %acc, %x : f32
      scf.yield %s : f32
    } {test.unroll = 4 : i64}
    scf.for unsigned %i = %n to %n step %n : i64 {
    }
    %1:2 = scf.if %c -> (f32, i64) {
      scf.yield %0, %n : f32, i64
    } else {
      scf.yield %x, %n : f32, i64
    }
    scf.if %c {
      scf.if %c {
      } else {
      }
    }
    %2:2 = scf.while (%v = %n, %w = %x) : (i64, f32) -> (f32, i64) {
      scf.condition(%c) %w, %v : f32, i64
    } do {
    ^bb0(%w: f32, %v: i64):
      scf.yield %v, %w : i64, f32
    }
    %3 = scf.parallel (%i, %j) = (%lo, %lo) to (%hi, %hi) step (%step, %step) init (%x) -> f32 {
      scf.reduce(%x : f32) {
      ^bb0(%l: f32, %r: f32):
        %m = arith.mulf %l, %r : f32
        scf.reduce.return %m : f32
      }
    }
    scf.parallel (%i) = (%lo) to (%hi) step (%step) {
    }
    %4 = scf.index_switch %lo -> i64
    case 2 {
      scf.yield %n : i64
    }
    case 5 {
      scf.yield %1#1 : i64
    }
    default {
      scf.yield %2#1 : i64
    }
    %5 = scf.execute_region -> i64 {
      cf.cond_br %c, ^x, ^y
    ^x:
      scf.yield %n : i64
    ^y:
      scf.yield %4 : i64
    }
    return %3, %5 : f32, i64
  }
  llvm.mlir.global private constant @text("hello\0A\00") {addr_space = 0 : i32}
  llvm.mlir.global internal @counter(42 : i64) {addr_space = 0 : i32, alignment = 8 : i64} : i64
  llvm.mlir.global external @table() {addr_space = 0 : i32} : !llvm.array<2 x ptr> {
    %0 = llvm.mlir.undef : !llvm.array<2 x ptr>
    %1 = llvm.mlir.addressof @text : !llvm.ptr
    %2 = llvm.insertvalue %1, %0[0] : !llvm.array<2 x ptr>
    llvm.return %2 : !llvm.array<2 x ptr>
  }
  llvm.func @bundled(i64)
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.func internal @llvm_ops(%p: !llvm.ptr {llvm.noalias}, %i: i64, %c: i1) -> (i64 {llvm.noundef}) attributes {passthrough = ["nounwind", ["stack", "4"]]} {
    %0 = llvm.mlir.constant(5 : i64) : i64
    %1 = llvm.getelementptr inbounds %p[%i, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i64, array<4 x f32>)>
    %2 = llvm.load %1 {alignment = 8 : i64} : !llvm.ptr -> i64
    llvm.store volatile %2, %p : i64, !llvm.ptr
    %3 = llvm.add %2, %0 overflow<nsw> : i64
    %4 = llvm.icmp "slt" %3, %i : i64
    %5 = llvm.alloca %i x !llvm.struct<"named", (i32, ptr)> : (i64) -> !llvm.ptr
    %6 = llvm.mlir.zero : !llvm.ptr
    %7 = llvm.mlir.addressof @text : !llvm.ptr
    %8 = llvm.call @printf(%7, %3) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
    llvm.call @bundled(%3) ["tag"(%2, %i : i64, i64), "other"()] : (i64) -> ()
    %9 = llvm.inttoptr %3 : i64 to !llvm.ptr
    %10 = llvm.atomicrmw add %p, %3 monotonic : !llvm.ptr, i64
    llvm.cond_br %4, ^x(%3 : i64), ^x(%0 : i64)
  ^x(%v: i64):
    %11 = llvm.call %p(%v) : !llvm.ptr, (i64) -> i64
    llvm.br ^y
  ^y:
    llvm.return %11 : i64
  }
}
