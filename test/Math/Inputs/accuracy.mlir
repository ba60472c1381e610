// Largest error of FUNCTION on f32 against libm's function on f64 (called by name:
// upstream lowers some f64 ops to formulas that are not accurate enough here),
// over COUNT bit patterns STRIDE apart, which wrap around all of f32 when their
// product is 2^32 or more, in units of the last place of the exact value.
// Special values have to be equal, and a scalar's result a vector lane's.

func.func private @f32_bits(%i: i64) -> vector<16xi32> {
  %lanes = arith.constant dense<[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]> : vector<16xi32>
  %stride = arith.constant dense<STRIDE> : vector<16xi32>
  %low = arith.trunci %i : i64 to i32
  %base = vector.broadcast %low : i32 to vector<16xi32>
  %k = arith.addi %base, %lanes : vector<16xi32>
  %bits = arith.muli %k, %stride : vector<16xi32>
  return %bits : vector<16xi32>
}

// The error of y, and 1 if one of y and exact is special and the other is not the same.
func.func private @error(%y: f32, %exact: f64) -> (f64, i64) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %rounded = arith.truncf %exact : f64 to f32
  %yb = arith.bitcast %y : f32 to i32
  %rb = arith.bitcast %rounded : f32 to i32
  %same = arith.cmpi eq, %yb, %rb : i32
  %y_nan = arith.cmpf uno, %y, %y : f32
  %r_nan = arith.cmpf uno, %rounded, %rounded : f32
  %both_nan = arith.andi %y_nan, %r_nan : i1
  %fine = arith.ori %same, %both_nan : i1
  %inf = arith.constant 0x7F800000 : f32
  %zero32 = arith.constant 0.0 : f32
  %ra = math.absf %rounded : f32
  %ya = math.absf %y : f32
  %r_finite = arith.cmpf olt, %ra, %inf : f32
  %y_finite = arith.cmpf olt, %ya, %inf : f32
  %is_zero = arith.cmpf oeq, %exact, %zero : f64
  %true = arith.constant true
  %nonzero = arith.xori %is_zero, %true : i1
  %finite = arith.andi %r_finite, %y_finite : i1
  %ordinary = arith.andi %finite, %nonzero : i1
  %wrong_if = arith.ori %fine, %ordinary : i1
  %wrong = arith.select %wrong_if, %c0, %c1 : i64
  // ulp = 2^(max(exponent, -126) - 23)
  %bits = arith.bitcast %exact : f64 to i64
  %c52 = arith.constant 52 : i64
  %mask = arith.constant 2047 : i64
  %c23 = arith.constant 23 : i64
  %min = arith.constant 897 : i64
  %shifted = arith.shrui %bits, %c52 : i64
  %biased = arith.andi %shifted, %mask : i64
  %e = arith.maxsi %biased, %min : i64
  %ue = arith.subi %e, %c23 : i64
  %ub = arith.shli %ue, %c52 : i64
  %ulp = arith.bitcast %ub : i64 to f64
  %yd = arith.extf %y : f32 to f64
  %d = arith.subf %yd, %exact : f64
  %a = math.absf %d : f64
  %q = arith.divf %a, %ulp : f64
  %error = arith.select %ordinary, %q, %zero : f64
  return %error, %wrong : f64, i64
}

func.func private @differ(%x: f32, %y: f32) -> i64 {
  %xb = arith.bitcast %x : f32 to i32
  %yb = arith.bitcast %y : f32 to i32
  %different = arith.cmpi ne, %xb, %yb : i32
  %numbers = arith.cmpf ord, %x, %y : f32
  %differ = arith.andi %different, %numbers : i1
  %result = arith.extui %differ : i1 to i64
  return %result : i64
}

func.func private @exp(f64) -> f64
func.func private @exp2(f64) -> f64
func.func private @expm1(f64) -> f64
func.func private @log(f64) -> f64
func.func private @log2(f64) -> f64
func.func private @log1p(f64) -> f64
func.func private @tanh(f64) -> f64
func.func private @erf(f64) -> f64
func.func private @sin(f64) -> f64
func.func private @cos(f64) -> f64
func.func private @log10(f64) -> f64
func.func private @tan(f64) -> f64
func.func private @sinh(f64) -> f64
func.func private @cosh(f64) -> f64
func.func private @erfc(f64) -> f64
func.func private @asin(f64) -> f64
func.func private @acos(f64) -> f64
func.func private @atan(f64) -> f64
func.func private @asinh(f64) -> f64
func.func private @acosh(f64) -> f64
func.func private @atanh(f64) -> f64
func.func private @cbrt(f64) -> f64
func.func private @rsqrt_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %root = math.sqrt %x : f64
  %y = arith.divf %one, %root : f64
  return %y : f64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %count = arith.constant COUNT : index
  %none = arith.constant 0.0 : f64
  %zero = arith.constant 0 : i64
  %result:3 = scf.for %i = %c0 to %count step %c16 iter_args(%w = %none, %at = %none, %n = %zero) -> (f64, f64, i64) {
    %i64 = arith.index_cast %i : index to i64
    %bits = func.call @f32_bits(%i64) : (i64) -> vector<16xi32>
    %x = arith.bitcast %bits : vector<16xi32> to vector<16xf32>
    %y = math.FUNCTION %x : vector<16xf32>
    %inner:3 = scf.for %l = %c0 to %c16 step %c1 iter_args(%w0 = %w, %at0 = %at, %n0 = %n) -> (f64, f64, i64) {
      %xl = vector.extract %x[%l] : f32 from vector<16xf32>
      %yl = vector.extract %y[%l] : f32 from vector<16xf32>
      %xd = arith.extf %xl : f32 to f64
      %exact = func.call @REFERENCE(%xd) : (f64) -> f64
      %error, %wrong_special = func.call @error(%yl, %exact) : (f32, f64) -> (f64, i64)
      %scalar = math.FUNCTION %xl : f32
      %differs = func.call @differ(%scalar, %yl) : (f32, f32) -> i64
      %wrong = arith.ori %wrong_special, %differs : i64
      %worse = arith.cmpf ogt, %error, %w0 : f64
      %w1 = arith.select %worse, %error, %w0 : f64
      %bad = arith.cmpi ne, %wrong, %zero : i64
      %note = arith.ori %worse, %bad : i1
      %at1 = arith.select %note, %xd, %at0 : f64
      %n1 = arith.addi %n0, %wrong : i64
      scf.yield %w1, %at1, %n1 : f64, f64, i64
    }
    scf.yield %inner#0, %inner#1, %inner#2 : f64, f64, i64
  }
  %bound = arith.constant BOUND : f64
  %accurate = arith.cmpf ole, %result#0, %bound : f64
  %no_wrong = arith.cmpi eq, %result#2, %zero : i64
  %ok = arith.andi %accurate, %no_wrong : i1
  vector.print str "FUNCTION: max ulp "
  vector.print %result#0 : f64 punctuation <no_punctuation>
  vector.print str ", at "
  vector.print %result#1 : f64 punctuation <no_punctuation>
  vector.print str ", wrong specials "
  vector.print %result#2 : i64 punctuation <no_punctuation>
  vector.print str ", ok "
  vector.print %ok : i1
  return
}
