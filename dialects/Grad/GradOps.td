//===- GradOps.td - the grad dialect -----------------------*- tablegen -*-===//
//
// Gradients of functions of tensors, until lispier-differentiate computes them.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GRAD_OPS
#define LISPIER_GRAD_OPS

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Grad_Dialect : Dialect {
  let name = "grad";
  let cppNamespace = "::lispier::grad";
  let summary = "Gradients of functions of tensors";
  let description = [{
    `grad.rule = @g` on a function: its gradient is computed by g, which takes the function's arguments and the
    cotangent of its result, and returns a gradient for each argument of floats.

    `grad.recompute = k` on a loop, or on grad.call for the outermost loops of its function: of each k iterations the
    gradient keeps what the first one begins with, and computes the others again.
  }];
  let hasOperationAttrVerify = 1;
}

class Grad_Op<string name, list<Trait> traits = []> : Op<Grad_Dialect, name, traits>;

def Grad_CallOp : Grad_Op<"call", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A call of a function, and the gradient of its first result by some of the arguments";
  let description = [{
    The results are those of the function `callee`, and then, for each number in `wrt`, the gradient of the first result
    by that argument, of the argument's type. `seed` is the cotangent of the first result, of its type; without it the
    first result is one float, whose cotangent is 1. With `into` each gradient is added to the value there, which has
    its type or, for a sum in F32 of gradients of 16 bits, the type f32.

    ```mlir
    %loss, %dw = grad.call @loss(%w, %x : tensor<4xf32>, tensor<4xf32>) wrt [0] -> tensor<f32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs, Variadic<AnyType>:$seed,
                       Variadic<AnyType>:$into, DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` ($inputs^ `:` type($inputs))? `)` `wrt` $wrt (`seed` `(` $seed^ `:` type($seed) `)`)?
    (`into` `(` $into^ `:` type($into) `)`)? attr-dict `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::ResultRange valueResults() { return getResults().drop_back(getWrt().size()); }
    ::mlir::ResultRange gradients() { return getResults().take_back(getWrt().size()); }
    /// The argument that a result is the gradient of; null for a result of the function.
    ::mlir::Value argumentOf(::mlir::OpResult result) {
      unsigned first = getNumResults() - getWrt().size(), number = result.getResultNumber();
      return number < first ? ::mlir::Value() : getInputs()[getWrt()[number - first]];
    }
  }];
  let hasVerifier = 1;
}

def Grad_StopOp : Grad_Op<"stop", [Pure, SameOperandsAndResultType]> {
  let summary = "Its operand, as a value whose gradient is 0";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Grad_RecomputeOp : Grad_Op<"recompute", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "What its region computes, and what a gradient computes again";
  let description = [{
    The region is that of the program. Its values are not kept for a gradient, which computes them again from what the
    region uses. lispier-differentiate replaces the op by its region.

    ```mlir
    %y = grad.recompute -> tensor<4xf32> {
      ...
      grad.yield %v : tensor<4xf32>
    }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Grad_YieldOp : Grad_Op<"yield", [Pure, Terminator, HasParent<"RecomputeOp">]> {
  let summary = "The results of grad.recompute";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Grad_AgainOp : Grad_Op<"again", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "Its operand, once `after` are there, as another value";
  let description = [{
    What is computed of the result is not merged with what has been computed of the operand, and no kernel has both. The
    op becomes its operand when kernels have formed.
  }];
  let arguments = (ins AnyType:$value, Variadic<AnyType>:$after);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value (`after` `(` $after^ `:` type($after) `)`)? attr-dict `:` type($value)";
}
#endif
