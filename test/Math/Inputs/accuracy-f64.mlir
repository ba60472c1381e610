// Largest distance of an OPERATION on f64 from the C library's REFERENCE, in units of the last place, over COUNT bit
// patterns spread over all of f64 and COUNT numbers of moderate size. Not a number, infinities and zeros have to be equal,
// and a scalar's result a vector lane's.

func.func private @exp(f64) -> f64
func.func private @exp2(f64) -> f64
func.func private @expm1(f64) -> f64
func.func private @log(f64) -> f64
func.func private @log2(f64) -> f64
func.func private @log10(f64) -> f64
func.func private @log1p(f64) -> f64
func.func private @tanh(f64) -> f64
func.func private @sinh(f64) -> f64
func.func private @cosh(f64) -> f64
func.func private @erf(f64) -> f64
func.func private @erfc(f64) -> f64
func.func private @sin(f64) -> f64
func.func private @cos(f64) -> f64
func.func private @tan(f64) -> f64
func.func private @asin(f64) -> f64
func.func private @acos(f64) -> f64
func.func private @atan(f64) -> f64
func.func private @asinh(f64) -> f64
func.func private @acosh(f64) -> f64
func.func private @atanh(f64) -> f64
func.func private @cbrt(f64) -> f64
func.func private @atan2(f64, f64) -> f64
func.func private @pow(f64, f64) -> f64

// Far apart where one of them is special or their signs differ.
func.func private @distance(%y: f64, %exact: f64) -> i64 {
  %zero = arith.constant 0.0 : f64
  %inf = arith.constant 0x7FF0000000000000 : f64
  %c0 = arith.constant 0 : i64
  %far = arith.constant 1000000 : i64
  %yb = arith.bitcast %y : f64 to i64
  %eb = arith.bitcast %exact : f64 to i64
  %equal = arith.cmpi eq, %yb, %eb : i64
  %y_nan = arith.cmpf uno, %y, %y : f64
  %e_nan = arith.cmpf uno, %exact, %exact : f64
  %both_nan = arith.andi %y_nan, %e_nan : i1
  %same = arith.ori %equal, %both_nan : i1
  %d = arith.subi %yb, %eb : i64
  %a = math.absi %d : i64
  // An infinity or a zero is no neighbour of a number.
  %signs = arith.xori %yb, %eb : i64
  %differ = arith.cmpi slt, %signs, %c0 : i64
  %ya = math.absf %y : f64
  %ea = math.absf %exact : f64
  %y_inf = arith.cmpf oeq, %ya, %inf : f64
  %e_inf = arith.cmpf oeq, %ea, %inf : f64
  %some_inf = arith.ori %y_inf, %e_inf : i1
  %e_zero = arith.cmpf oeq, %exact, %zero : f64
  %special0 = arith.ori %differ, %some_inf : i1
  %special1 = arith.ori %special0, %e_zero : i1
  %special2 = arith.ori %special1, %y_nan : i1
  %special = arith.ori %special2, %e_nan : i1
  %apart = arith.select %special, %far, %a : i64
  %result = arith.select %same, %c0, %apart : i64
  return %result : i64
}

func.func private @compare(%x: vector<4xf64>, %z: vector<4xf64>, %w: i64, %at: f64) -> (i64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = OPERATION : vector<4xf64>
  %result:2 = scf.for %l = %c0 to %c4 step %c1 iter_args(%w0 = %w, %at0 = %at) -> (i64, f64) {
    %yl = vector.extract %y[%l] : f64 from vector<4xf64>
    %xl = vector.extract %x[%l] : f64 from vector<4xf64>
    %zl = vector.extract %z[%l] : f64 from vector<4xf64>
    %scalar = func.call @scalar(%xl, %zl) : (f64, f64) -> f64
    %exact = func.call @reference(%xl, %zl) : (f64, f64) -> f64
    %d0 = func.call @distance(%yl, %exact) : (f64, f64) -> i64
    %d1 = func.call @distance(%scalar, %exact) : (f64, f64) -> i64
    %d = arith.maxsi %d0, %d1 : i64
    %worse = arith.cmpi sgt, %d, %w0 : i64
    %w1 = arith.select %worse, %d, %w0 : i64
    %at1 = arith.select %worse, %xl, %at0 : f64
    scf.yield %w1, %at1 : i64, f64
  }
  return %result#0, %result#1 : i64, f64
}

func.func private @scalar(%x: f64, %z: f64) -> f64 {
  %y = OPERATION : f64
  return %y : f64
}
func.func private @reference(%x: f64, %z: f64) -> f64 {
  %y = func.call REFERENCE -> f64
  return %y : f64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %count = arith.constant COUNT : index
  %none = arith.constant 0.0 : f64
  %zero = arith.constant 0 : i64
  %lanes = arith.constant dense<[0,1,2,3]> : vector<4xi64>
  // Odd, so that all patterns come once.
  %stride = arith.constant dense<0x9E3779B97F4A7C15> : vector<4xi64>
  %other_stride = arith.constant dense<0xD1B54A32D192ED03> : vector<4xi64>
  %moderate = arith.constant dense<1.734723475976807e-18> : vector<4xf64>
  %result:2 = scf.for %i = %c0 to %count step %c4 iter_args(%w = %zero, %at = %none) -> (i64, f64) {
    %i64 = arith.index_cast %i : index to i64
    %base = vector.broadcast %i64 : i64 to vector<4xi64>
    %k = arith.addi %base, %lanes : vector<4xi64>
    %xb = arith.muli %k, %stride : vector<4xi64>
    %zb = arith.muli %k, %other_stride : vector<4xi64>
    %x = arith.bitcast %xb : vector<4xi64> to vector<4xf64>
    %z = arith.bitcast %zb : vector<4xi64> to vector<4xf64>
    %all:2 = func.call @compare(%x, %z, %w, %at) : (vector<4xf64>, vector<4xf64>, i64, f64) -> (i64, f64)
    %xi = arith.sitofp %xb : vector<4xi64> to vector<4xf64>
    %zi = arith.sitofp %zb : vector<4xi64> to vector<4xf64>
    %xm = arith.mulf %xi, %moderate : vector<4xf64>
    %zm = arith.mulf %zi, %moderate : vector<4xf64>
    %some:2 = func.call @compare(%xm, %zm, %all#0, %all#1) : (vector<4xf64>, vector<4xf64>, i64, f64) -> (i64, f64)
    scf.yield %some#0, %some#1 : i64, f64
  }
  // What is at the edges, each against each.
  %edges = arith.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
                                 4.9e-324, -2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 709.782712893384,
                                 710.4758600739439, -745.1332191019411, 1.0e300, 27.226017111108366,
                                 1024.0, -1074.0, 0.5, -3.0]> : vector<20xf64>
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %last:2 = scf.for %i = %c0 to %c20 step %c1 iter_args(%w = %result#0, %at = %result#1) -> (i64, f64) {
    %xs = vector.extract %edges[%i] : f64 from vector<20xf64>
    %x = vector.broadcast %xs : f64 to vector<4xf64>
    %inner:2 = scf.for %j = %c0 to %c20 step %c1 iter_args(%w0 = %w, %at0 = %at) -> (i64, f64) {
      %zs = vector.extract %edges[%j] : f64 from vector<20xf64>
      %z = vector.broadcast %zs : f64 to vector<4xf64>
      %r:2 = func.call @compare(%x, %z, %w0, %at0) : (vector<4xf64>, vector<4xf64>, i64, f64) -> (i64, f64)
      scf.yield %r#0, %r#1 : i64, f64
    }
    scf.yield %inner#0, %inner#1 : i64, f64
  }
  %bound = arith.constant BOUND : i64
  %ok = arith.cmpi sle, %last#0, %bound : i64
  vector.print str "max ulp "
  vector.print %last#0 : i64 punctuation <no_punctuation>
  vector.print str ", at "
  vector.print %last#1 : f64 punctuation <no_punctuation>
  vector.print str ", ok "
  vector.print %ok : i1
  return
}
