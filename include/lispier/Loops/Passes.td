//===- Passes.td - the passes of the room Loops ------------*- tablegen -*-===//
#ifndef LISPIER_LOOPS_PASSES
#define LISPIER_LOOPS_PASSES

include "mlir/Pass/PassBase.td"
include "lispier/Loops/GpuPasses.td"

def ExpandMath : Pass<"lispier-expand-math"> {
  let summary = "Turn exp, log, tanh and their like into FMA and integer ops";
  let description = [{
    math.exp, exp2, expm1, log, log2, log1p, tanh, erf, rsqrt, sin and cos on f32, and on bf16 and f16 computed in f32,
    scalars and vectors alike. Other ops and types stay. So no target needs a math library for these, and vectors stay
    vectors. Largest errors in units of the last place, over all 2^32
    arguments: exp 1.1, exp2 1.1, expm1 1.6, log 0.9, log2 1.1, log1p 1.5, tanh 2.6, erf 1.0, rsqrt 1.5, sin and cos 2.8.
    Special values are libm's. The machine has to have fused multiply-add: elsewhere math.fma is a library call.
    Example: test/Loops/expand-math.mlir
  }];
  let options = [ListOption<"functions", "functions", "std::string",
      "Expand only these ops, named without their dialect (exp, tanh); all when empty">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
