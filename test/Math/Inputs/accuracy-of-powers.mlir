// Follows the functions of accuracy.mlir. Largest error of math.powf on f32 against libm's pow on f64, over COUNT pairs:
// x takes all magnitudes of f32, and y is such that the binary logarithms of the powers spread from -149.5 to 127.9.

func.func private @pow(f64, f64) -> f64

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %count = arith.constant COUNT : index
  %none = arith.constant 0.0 : f64
  %zero = arith.constant 0 : i64
  %magnitude = arith.constant dense<0x7FFFFFFF> : vector<16xi32>
  %mix = arith.constant dense<0x9E3779B1> : vector<16xi32>
  %range = arith.constant 6.4587218e-08 : f64
  %least = arith.constant -149.5 : f64
  %result:4 = scf.for %i = %c0 to %count step %c16
      iter_args(%w = %none, %atx = %none, %aty = %none, %n = %zero) -> (f64, f64, f64, i64) {
    %i64 = arith.index_cast %i : index to i64
    %bits = func.call @f32_bits(%i64) : (i64) -> vector<16xi32>
    %positive = arith.andi %bits, %magnitude : vector<16xi32>
    %x = arith.bitcast %positive : vector<16xi32> to vector<16xf32>
    %mixed = arith.muli %bits, %mix : vector<16xi32>
    %empty = arith.constant dense<0.0> : vector<16xf32>
    %y = scf.for %l = %c0 to %c16 step %c1 iter_args(%ys = %empty) -> (vector<16xf32>) {
      %xl = vector.extract %x[%l] : f32 from vector<16xf32>
      %xd = arith.extf %xl : f32 to f64
      %ml = vector.extract %mixed[%l] : i32 from vector<16xi32>
      %md = arith.uitofp %ml : i32 to f64
      %target = math.fma %md, %range, %least : f64
      %log = func.call @log2(%xd) : (f64) -> f64
      %yd = arith.divf %target, %log : f64
      %yl = arith.truncf %yd : f64 to f32
      %next = vector.insert %yl, %ys[%l] : f32 into vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    %p = math.powf %x, %y : vector<16xf32>
    %inner:4 = scf.for %l = %c0 to %c16 step %c1
        iter_args(%w0 = %w, %atx0 = %atx, %aty0 = %aty, %n0 = %n) -> (f64, f64, f64, i64) {
      %xl = vector.extract %x[%l] : f32 from vector<16xf32>
      %yl = vector.extract %y[%l] : f32 from vector<16xf32>
      %pl = vector.extract %p[%l] : f32 from vector<16xf32>
      %xd = arith.extf %xl : f32 to f64
      %yd = arith.extf %yl : f32 to f64
      %exact = func.call @pow(%xd, %yd) : (f64, f64) -> f64
      %error, %wrong_special = func.call @error(%pl, %exact) : (f32, f64) -> (f64, i64)
      %scalar = math.powf %xl, %yl : f32
      %differs = func.call @differ(%scalar, %pl) : (f32, f32) -> i64
      %wrong = arith.ori %wrong_special, %differs : i64
      %worse = arith.cmpf ogt, %error, %w0 : f64
      %w1 = arith.select %worse, %error, %w0 : f64
      %bad = arith.cmpi ne, %wrong, %zero : i64
      %note = arith.ori %worse, %bad : i1
      %atx1 = arith.select %note, %xd, %atx0 : f64
      %aty1 = arith.select %note, %yd, %aty0 : f64
      %n1 = arith.addi %n0, %wrong : i64
      scf.yield %w1, %atx1, %aty1, %n1 : f64, f64, f64, i64
    }
    scf.yield %inner#0, %inner#1, %inner#2, %inner#3 : f64, f64, f64, i64
  }
  %bound = arith.constant BOUND : f64
  %accurate = arith.cmpf ole, %result#0, %bound : f64
  %no_wrong = arith.cmpi eq, %result#3, %zero : i64
  %ok = arith.andi %accurate, %no_wrong : i1
  vector.print str "powf: max ulp "
  vector.print %result#0 : f64 punctuation <no_punctuation>
  vector.print str ", at "
  vector.print %result#1 : f64 punctuation <no_punctuation>
  vector.print str ", "
  vector.print %result#2 : f64 punctuation <no_punctuation>
  vector.print str ", wrong specials "
  vector.print %result#3 : i64 punctuation <no_punctuation>
  vector.print str ", ok "
  vector.print %ok : i1
  return
}
