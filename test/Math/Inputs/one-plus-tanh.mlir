func.func private @exp(f64) -> f64
func.func private @printI64(i64)
func.func private @printF64(f64)
func.func private @printNewline()

func.func @one_plus_tanh(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %y = arith.addf %t, %one : f32
  return %y : f32
}

func.func @both(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %y = arith.addf %t, %one : f32
  return %t, %y : f32, f32
}

// What GELU's derivative has: 1 + tanh x, and 1 - tanh^2 x.
func.func @beside_one(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %y = arith.addf %one, %t : f32
  %square = arith.mulf %t, %t : f32
  %slope = arith.subf %one, %square : f32
  return %y, %slope : f32, f32
}

// 1 + tanh of a number times another one, which is part of the exponent.
func.func @scaled(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %factor = arith.constant 0.25 : f32
  %u = arith.mulf %factor, %x : f32
  %t = math.tanh %u : f32
  %y = arith.addf %t, %one : f32
  return %y : f32
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1048576 : index
  %half = arith.constant 524288.0 : f32
  %step = arith.constant 3.0517578125e-05 : f32
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %minus_two = arith.constant -2.0 : f64
  %four = arith.constant 4.0 : f64
  %worst, %worst_slope = scf.for %i = %c0 to %n step %c1 iter_args(%most = %zero, %most_slope = %zero) -> (f64, f64) {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %d = arith.subf %f, %half : f32
    %x = arith.mulf %d, %step : f32
    %y = func.call @one_plus_tanh(%x) : (f32) -> f32
    %xd = arith.extf %x : f32 to f64
    %yd = arith.extf %y : f32 to f64
    // The sum itself would lose the digits of f64 that are asked for, near -16.
    %twice = arith.mulf %xd, %minus_two : f64
    %power = func.call @exp(%twice) : (f64) -> f64
    %below_line = arith.addf %power, %one : f64
    %exact = arith.divf %two, %below_line : f64
    %e = arith.subf %yd, %exact : f64
    %a = math.absf %e : f64
    %r = arith.divf %a, %exact : f64
    %below = arith.minimumf %xd, %zero : f64
    %scale = arith.subf %one, %below : f64
    %s = arith.divf %r, %scale : f64
    %next = arith.maximumf %most, %s : f64
    // 4 e^-2|x| / (1 + e^-2|x|)^2.
    %both:2 = func.call @beside_one(%x) : (f32) -> (f32, f32)
    %size = math.absf %xd : f64
    %exponent = arith.mulf %size, %minus_two : f64
    %small = func.call @exp(%exponent) : (f64) -> f64
    %sum = arith.addf %small, %one : f64
    %square = arith.mulf %sum, %sum : f64
    %times = arith.mulf %small, %four : f64
    %slope = arith.divf %times, %square : f64
    %made = arith.extf %both#1 : f32 to f64
    %difference = arith.subf %made, %slope : f64
    %error = math.absf %difference : f64
    %next_slope = arith.maximumf %most_slope, %error : f64
    scf.yield %next, %next_slope : f64, f64
  }
  %ulp = arith.constant 1.1920928955078125e-07 : f64
  %units = arith.divf %worst, %ulp : f64
  func.call @printF64(%units) : (f64) -> ()
  func.call @printNewline() : () -> ()
  %bound = arith.constant 1.25 : f64
  %good = arith.cmpf olt, %units, %bound : f64
  %flag = arith.extui %good : i1 to i64
  vector.print str "ok "
  func.call @printI64(%flag) : (i64) -> ()
  %units_slope = arith.divf %worst_slope, %ulp : f64
  vector.print str "\0A"
  func.call @printF64(%units_slope) : (f64) -> ()
  func.call @printNewline() : () -> ()
  %bound_slope = arith.constant 3.25 : f64
  %good_slope = arith.cmpf olt, %units_slope, %bound_slope : f64
  %flag_slope = arith.extui %good_slope : i1 to i64
  vector.print str "slope ok "
  func.call @printI64(%flag_slope) : (i64) -> ()
  return
}
