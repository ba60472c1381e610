//===- NNOps.td - the ops of the nn dialect -------------------------------===//
//
// Destination-passing ops. On memrefs an op writes `out` and has no results; on
// tensors its result is the new value of `out`, of which only the sizes matter.
// Caches and random state are memrefs in both cases. Letters: T tokens, C channels, K inputs, N outputs, V vocabulary,
// P positions of a cache, H heads, G heads of keys and values, D head size,
// S tokens of keys without a cache. Arithmetic is f32 for all element types; a bf16
// result is rounded once, when it is stored.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_OPS
#define LISPIER_NN_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::lispier::nn";
  let summary = "Neural network ops that passes match as units";
  let description = [{
    Discardable attributes, verified by the dialect, make a function a template: an implementation of an op, also of
    another dialect's, which lispier-select-templates describes.

    - `nn.template = "nn.linear"` on a function: the op.
    - `nn.template_targets = ["cpu", "gpu+wgmma"]`, `nn.template_attributes = ["activation"]`, `nn.template_values`
      (some of those attributes), `nn.template_sizes = [array<i64: operand, dimension, size, ...>]` and
      `nn.template_groups = ["product"]` (GroupKinds.h) beside it.
    - `nn.template_kernels` on a gpu.module: only templates launch its kernels.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

def NN_ActivationEnum : I32EnumAttr<"Activation", "function applied to each element of a linear layer's result", [
    I32EnumAttrCase<"None", 0, "none">,         // x
    I32EnumAttrCase<"GeluTanh", 1, "gelu_tanh">, // see nn.gelu
    I32EnumAttrCase<"Relu", 2, "relu">,         // max(x, 0)
    I32EnumAttrCase<"Silu", 3, "silu">,         // x / (1 + e^-x)
    I32EnumAttrCase<"Rectify", 4, "rectify">,   // x > 0 ? x : 0
  ]> {
  let cppNamespace = "::lispier::nn";
  let genSpecializedAttr = 0;
}
/// Written `#nn<activation gelu_tanh>`.
def NN_Activation : EnumAttr<NN_Dialect, NN_ActivationEnum, "activation">;

def NN_MaskEnum : I32EnumAttr<"Mask", "positions that a token attends to", [
    I32EnumAttrCase<"None", 0, "none">,     // all
    I32EnumAttrCase<"Causal", 1, "causal">, // its own and those before it
  ]> {
  let cppNamespace = "::lispier::nn";
  let genSpecializedAttr = 0;
}
/// Written `#nn<mask causal>`.
def NN_Mask : EnumAttr<NN_Dialect, NN_MaskEnum, "mask">;

class NN_Buffer<string element, string words, int rank, string picture>
    : Type<And<[CPred<"::llvm::isa<::mlir::MemRefType, ::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == " # rank>,
                CPred<"::lispier::nn::is" # element # "(::llvm::cast<::mlir::ShapedType>($_self).getElementType())">]>,
           words # " such as memref<" # picture # "> or tensor<" # picture # ">", "::mlir::ShapedType">;
class NN_Floats<string words, int rank, string picture> : NN_Buffer<"Float", words # " of f32 or bf16", rank, picture>;

def NN_Vector : NN_Floats<"a vector", 1, "?xf32">;
def NN_Matrix : NN_Floats<"a matrix", 2, "?x?xf32">;
def NN_MatrixF32 : NN_Buffer<"F32", "a matrix of f32", 2, "?x?xf32">;
def NN_Heads : NN_Floats<"a row for each head of each token", 3, "?x?x?xf32">;
def NN_Cache : NN_Floats<"a cache", 3, "?x?x?xf32">;
def NN_AnyMatrix : NN_Buffer<"AnyFloat", "a matrix of floats", 2, "?x?xf32">;
def NN_MatrixOfNumbers : NN_Buffer<"Number", "a matrix of numbers", 2, "?x?xf32">;
def NN_ComparableMatrix : NN_Buffer<"Comparable", "a matrix of i32, i64, f32 or f64", 2, "?x?xf32">;
def NN_VectorF32 : NN_Buffer<"F32", "a vector of f32", 1, "?xf32">;
def NN_VectorI32 : NN_Buffer<"I32", "a vector of i32", 1, "?xi32">;
def NN_VectorI64 : NN_Buffer<"I64", "a vector of i64", 1, "?xi64">;
def NN_MatrixI32 : NN_Buffer<"I32", "a matrix of i32", 2, "?x?xi32">;
def NN_CellI32 : NN_Buffer<"I32", "one i32 in memory", 1, "1xi32">;
def NN_CellI64 : NN_Buffer<"I64", "one i64 in memory", 1, "1xi64">;
def NN_AnyRank : Type<And<[CPred<"::llvm::isa<::mlir::MemRefType, ::mlir::RankedTensorType>($_self)">,
                           CPred<"::lispier::nn::isFloat(::llvm::cast<::mlir::ShapedType>($_self).getElementType())">]>,
                      "f32 or bf16 of any shape such as memref<?x?xf32> or tensor<?x?xf32>", "::mlir::ShapedType">;

/// An operand, with what the op does with its elements: a case of lispier::nn::Access.
class NN_Operand<Constraint type, string does> : Arg<type> {
  string access = does;
}
class NN_In<Type type> : NN_Operand<type, "Read">;
class NN_OptionalIn<Type type> : NN_Operand<Optional<type>, "Read">;
/// `out` may be the same memory.
class NN_InPlace<Type type> : NN_Operand<type, "ReadInPlace">;
class NN_OptionalInPlace<Type type> : NN_Operand<Optional<type>, "ReadInPlace">;
/// A memref also where the other operands are tensors.
class NN_State<Type type> : NN_Operand<type, "State">;
class NN_OptionalState<Type type> : NN_Operand<Optional<type>, "State">;
class NN_Scratch<Type type> : NN_Operand<type, "Scratch">;
/// One of each op, its destination. Only numbers come behind it.
class NN_Out<Type type> : NN_Operand<type, "Write">;
/// A destination whose elements the op reads, too.
class NN_Update<Type type> : NN_Operand<type, "Update">;
class NN_Number<Type type> : NN_Operand<type, "None">;

/// Verified before the interfaces', which rely on it.
def NN_OneKindOfOperands : NativeOpTrait<"OneKindOfOperands"> {
  let cppNamespace = "::lispier::nn";
}

class NN_Op<string mnemonic, list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, traits # [
        NN_OneKindOfOperands, DestinationStyleOpInterface, MemoryEffectsOpInterface, InferTypeOpInterface,
        ReifyRankedShapedTypeOpInterface, BufferizableOpInterface]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  string rows = !foldl("", !range(!size(arguments)), text, i,
      text # !if(!initialized(!getdagarg<NN_Operand>(arguments, i)), // Attributes are none.
                 "{\"" # !getdagname(arguments, i) # "\", "
                 # "Access::" # !getdagarg<NN_Operand>(arguments, i).access # "}, ",
                 ""));
  // How the interfaces see an op follows from its rows (OperandRows.h).
  let extraClassDeclaration = [{
    static ::llvm::ArrayRef<OperandRow> operandRows() {
      static constexpr OperandRow rows[] = {}] # rows # [{};
      return rows;
    }
    ::mlir::MutableOperandRange getDpsInitsMutable() { return destinationOf(getOperation()); }
    void getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      addEffects(getOperation(), effects);
    }
    static ::llvm::LogicalResult inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                                                  ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
                                                  ::mlir::OpaqueProperties, ::mlir::RegionRange,
                                                  ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      addResultTypes(operandRows(), operands, types);
      return ::mlir::success();
    }
    ::llvm::LogicalResult reifyResultShapes(::mlir::OpBuilder &builder,
                                            ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return addResultShapes(getOperation(), builder, shapes);
    }
    bool bufferizesToMemoryRead(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return readsBefore(accessOf(operand));
    }
    bool bufferizesToMemoryWrite(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return writes(accessOf(operand));
    }
    bool bufferizesToElementwiseAccess(const ::mlir::bufferization::AnalysisState &,
                                       ::llvm::ArrayRef<::mlir::OpOperand *> operands) {
      return mayBeOneMemory(operands);
    }
    ::mlir::bufferization::AliasingValueList getAliasingValues(::mlir::OpOperand &operand,
                                                               const ::mlir::bufferization::AnalysisState &) {
      return resultInMemoryOf(operand);
    }
    ::llvm::LogicalResult bufferize(::mlir::RewriterBase &rewriter,
                                    const ::mlir::bufferization::BufferizationOptions &options,
                                    ::mlir::bufferization::BufferizationState &state) {
      return bufferizeOperands(getOperation(), rewriter, options, state);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def NN_LayerNormOp : NN_Op<"layer_norm"> {
  let summary = "Layer normalisation of each row";
  let description = [{
    `out[t,c] = (x[t,c] - m[t]) / sqrt(v[t] + epsilon) * weight[c] + bias[c]` with
    `m[t] = sum_c x[t,c] / C` and `v[t] = sum_c (x[t,c] - m[t])^2 / C` (Ba, Kiros and Hinton 2016).

    `x` and `out` [T,C], `weight` and `bias` [C] of the same element type, `epsilon` f32 above 0; it is an operand
    because, like the sizes, it comes from a model's files. `out` may be `x`. `constant_weights` is as in nn.linear.
  }];
  let arguments = (ins NN_InPlace<NN_Matrix>:$x, NN_In<NN_Vector>:$weight, NN_In<NN_Vector>:$bias,
                       NN_Out<NN_Matrix>:$out, NN_Number<F32>:$epsilon, UnitAttr:$constant_weights);
  let assemblyFormat = [{
    $x `,` $weight `,` $bias `epsilon` $epsilon `into` $out attr-dict
    `:` type($x) `,` type($weight) `,` type($bias) `,` type($out)
  }];
}

def NN_LinearOp : NN_Op<"linear", [AttrSizedOperandSegments]> {
  let summary = "Matrix product with a transposed weight, bias, activation and residual";
  let description = [{
    `out[t,n] = activation(sum_k x[t,k] * weight[n,k] + bias[n]) + residual[t,n]`, summed in f32.

    `x` [T,K], `weight` [N,K] (one row per output, as in PyTorch), `bias` [N] of the weight's element type,
    `residual` and `out` [T,N] of one element type. Bias and residual may be absent. `out` may be `residual`,
    but not `x`. Activations: `none`, `gelu_tanh` (see nn.gelu), `relu` = `max(y, 0)`, `silu` = `y / (1 + e^-y)`,
    `rectify` = `y > 0 ? y : 0`, which unlike `relu` makes 0 of a NaN.

    `constant_weights` asserts that no work that may still be running when this op starts writes `weight` or `bias`. A
    GPU kernel may then read them before preceding work has finished (programmatic dependent launch). Weights written
    before the program's first op satisfy this. `several_rows` asserts that T is not 1: no kernel for one row is
    compiled.
  }];
  let arguments = (ins NN_In<NN_Matrix>:$x, NN_In<NN_Matrix>:$weight, NN_OptionalIn<NN_Vector>:$bias,
                       NN_OptionalInPlace<NN_Matrix>:$residual, NN_Out<NN_Matrix>:$out,
                       DefaultValuedAttr<NN_Activation, "::lispier::nn::Activation::None">:$activation,
                       UnitAttr:$constant_weights, UnitAttr:$several_rows);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? (`residual` $residual^)? `into` $out attr-dict `:` type(operands)
  }];
}

def NN_NormLinearOp : NN_Op<"norm_linear", [AttrSizedOperandSegments]> {
  let summary = "nn.linear of a normalisation of x";
  let description = [{
    `normed = layer_norm(x, norm_weight, norm_bias, epsilon)`, or, without `norm_bias`, the RMS norm
    `normed[t,k] = x[t,k] / sqrt(sum_j x[t,j]^2 / K + epsilon) * norm_weight[k]` (Zhang and Sennrich 2019), then
    `out = activation(normed weight^T + bias) + residual`.

    With `gated`, which is for one row, weight and bias have 2N rows, and with `y = normed weight^T + bias`
    `out[t,n] = activation(y[t,n]) * y[t,N+n] + residual[t,n]` (Dauphin et al. 2017).

    `x` [T,K], `norm_weight` and `norm_bias` [K] of one element type, `epsilon` f32 above 0, `weight` [N,K], `bias` [N]
    of the weight's element type, `residual` and `out` [T,N] of one element type; bias and residual may be absent, and
    `out` may be `residual`. `normed` [T,K] is scratch memory: the normalised input is rounded to its element type, and
    its contents afterwards are undefined. No two of `x`, `normed` and `out` may overlap. The op exists because one
    token's input fits into a block's shared memory, so that one kernel can do both steps. `constant_weights` is as in
    nn.linear, and includes `norm_weight` and `norm_bias`.
  }];
  let arguments = (ins NN_In<NN_Matrix>:$x, NN_In<NN_Vector>:$norm_weight, NN_OptionalIn<NN_Vector>:$norm_bias,
                       NN_Number<F32>:$epsilon, NN_Scratch<NN_Matrix>:$normed, NN_In<NN_Matrix>:$weight,
                       NN_OptionalIn<NN_Vector>:$bias, NN_OptionalInPlace<NN_Matrix>:$residual, NN_Out<NN_Matrix>:$out,
                       DefaultValuedAttr<NN_Activation, "::lispier::nn::Activation::None">:$activation,
                       UnitAttr:$constant_weights, UnitAttr:$gated);
  let assemblyFormat = [{
    $x `,` $norm_weight (`,` $norm_bias^)? `epsilon` $epsilon `through` $normed `,` $weight (`bias` $bias^)?
    (`residual` $residual^)? `into` $out attr-dict `:` type(operands)
  }];
}

def NN_NormProductOp : NN_Op<"norm_product", [AttrSizedOperandSegments]> {
  let summary = "nn.linear of a layer norm of several rows, whose results have 16 bits";
  let description = [{
    `out = activation(normed weight^T + bias) + residual` with `normed` as in nn.layer_norm. The results are rounded to
    16 bits, so that a kernel may round `normed` to 11 bits of mantissa, as F16 has, of numbers between 2^-29 and 1 of
    the greatest that such a norm can give; smaller ones to 2^-40 of that. Weights are not rounded, except those below
    2^-29 of the greatest of their row, to 2^-40 of that.

    `x` [T,K], `norm_weight` and `norm_bias` [K] of one element type, `epsilon` f32 above 0, `weight` [N,K], `bias` [N]
    of the weight's element type, `residual` and `out` [T,N] of one element type; bias and residual may be absent, and
    `out` may be `residual`. `factors` is scratch memory of at least `(T + N) (K + 8) + 2 N` numbers of 16 bits, which
    begins at a multiple of 16 bytes; its contents afterwards are undefined. No two of `x`, `factors` and `out` may
    overlap. `constant_weights` is as in nn.norm_linear.
  }];
  let arguments = (ins NN_In<NN_Matrix>:$x, NN_In<NN_Vector>:$norm_weight, NN_In<NN_Vector>:$norm_bias,
                       NN_Number<F32>:$epsilon, NN_Scratch<NN_Vector>:$factors, NN_In<NN_Matrix>:$weight,
                       NN_OptionalIn<NN_Vector>:$bias, NN_OptionalInPlace<NN_Matrix>:$residual, NN_Out<NN_Matrix>:$out,
                       DefaultValuedAttr<NN_Activation, "::lispier::nn::Activation::None">:$activation,
                       UnitAttr:$constant_weights);
  let assemblyFormat = [{
    $x `,` $norm_weight `,` $norm_bias `epsilon` $epsilon `through` $factors `,` $weight (`bias` $bias^)?
    (`residual` $residual^)? `into` $out attr-dict `:` type(operands)
  }];
}

def NN_LinearsOp : NN_Op<"linears", [AttrSizedOperandSegments]> {
  let summary = "Products of one row with two or three transposed weights";
  let description = [{
    `out = x weight^T + bias`, `out2 = x weight2^T + bias2` and `out3 = x weight3^T + bias3`, as nn.linear, in one
    launch: queries, keys and values of one token, whose weights are apart.

    `x` [1,K], `weight` [N,K], `weight2` [M,K], `weight3` [L,K] of one element type, `bias` [N], `bias2` [M], `bias3`
    [L] of the weights' element type, `out` [1,N], `out2` [1,M], `out3` [1,L] of one element type. Each bias may be
    absent; `weight3` and `out3` may be absent together. `out2` and `out3` are memrefs. No two of the memories may
    overlap, if one of them is written. `constant_weights` is as in nn.linear, for all weights and biases.
  }];
  let arguments = (ins NN_In<NN_Matrix>:$x, NN_In<NN_Matrix>:$weight, NN_In<NN_Matrix>:$weight2,
                       NN_OptionalIn<NN_Matrix>:$weight3, NN_OptionalIn<NN_Vector>:$bias,
                       NN_OptionalIn<NN_Vector>:$bias2, NN_OptionalIn<NN_Vector>:$bias3, NN_State<NN_Matrix>:$out2,
                       NN_OptionalState<NN_Matrix>:$out3, NN_Out<NN_Matrix>:$out, UnitAttr:$constant_weights);
  let assemblyFormat = [{
    $x `,` $weight `,` $weight2 (`,` $weight3^)? (`bias` $bias^)? (`bias2` $bias2^)? (`bias3` $bias3^)?
    `into2` $out2 (`into3` $out3^)? `into` $out attr-dict `:` type(operands)
  }];
}

def NN_NormLinearsOp : NN_Op<"norm_linears", [AttrSizedOperandSegments]> {
  let summary = "nn.linears of a normalisation of x";
  let description = [{
    `normed` as in nn.norm_linear, then nn.linears of it. The letters, what may be absent, and what must not overlap are
    as there.
  }];
  let arguments = (ins NN_In<NN_Matrix>:$x, NN_In<NN_Vector>:$norm_weight, NN_OptionalIn<NN_Vector>:$norm_bias,
                       NN_Number<F32>:$epsilon, NN_Scratch<NN_Matrix>:$normed, NN_In<NN_Matrix>:$weight,
                       NN_In<NN_Matrix>:$weight2, NN_OptionalIn<NN_Matrix>:$weight3, NN_OptionalIn<NN_Vector>:$bias,
                       NN_OptionalIn<NN_Vector>:$bias2, NN_OptionalIn<NN_Vector>:$bias3, NN_State<NN_Matrix>:$out2,
                       NN_OptionalState<NN_Matrix>:$out3, NN_Out<NN_Matrix>:$out, UnitAttr:$constant_weights);
  let assemblyFormat = [{
    $x `,` $norm_weight (`,` $norm_bias^)? `epsilon` $epsilon `through` $normed `,` $weight `,` $weight2
    (`,` $weight3^)? (`bias` $bias^)? (`bias2` $bias2^)? (`bias3` $bias3^)? `into2` $out2 (`into3` $out3^)? `into` $out
    attr-dict `:` type(operands)
  }];
}

def NN_AttentionOp : NN_Op<"attention", [AttrSizedOperandSegments]> {
  let summary = "Attention of all heads, with or without a key and value cache";
  let description = [{
    `out[t,h,d] = sum_p softmax_p(scale * sum_e q[t,h,e] * keys[g,p,e]) * values[g,p,d]` (Vaswani et al. 2017), where
    H / G heads of queries share a head of keys and values: `g = h / (H / G)` (Ainslie et al. 2023). With
    `o = position[0]`, or 0 if `position` is absent, token t is at position `o+t`, and p goes over

    - `mask = none`: all positions, `0 <= p < L`,
    - `mask = causal`, the default: `max(0, o+t+1 - window) <= p < min(o+t+1, L)`; `window` is the number of positions,
      `window_size[0]` where only memory has it, or unlimited if both are absent (Beltagy et al. 2020).

    With caches, first `key_cache[g,o+t,d] = k[t,g,d]` and `value_cache[g,o+t,d] = v[t,g,d]` for all T tokens; then the
    caches are `keys` and `values`, and `L = o+T`. Without, `keys[g,p,d] = k[p,g,d]`, `values[g,p,d] = v[p,g,d]`, 
    `L = S`.

    `q` and `out` [T,H,D], `k` and `v` [T,G,D] (without caches [S,G,D]) of one element type, caches [G,P,D] of one
    element type, `position` and `window_size` [1] i32, the latter with a position only. Rows and heads may be strided:
    q, k and v may be views of one product. G divides H. `scale` is positive; the default is `1 / sqrt(D)`. Not checked
    when the program runs: `0 <= o`, `o+T <= P`, and that each token attends to some position. `out` must not overlap
    another operand. Keys and values of positions that the sum leaves out have no influence, even infinite ones and NaN.
  }];
  let arguments = (ins NN_In<NN_Heads>:$q, NN_In<NN_Heads>:$k, NN_In<NN_Heads>:$v,
                       NN_OptionalState<NN_Cache>:$key_cache, NN_OptionalState<NN_Cache>:$value_cache,
                       NN_OptionalIn<NN_CellI32>:$position, NN_OptionalIn<NN_CellI32>:$window_size,
                       NN_Out<NN_Heads>:$out,
                       DefaultValuedAttr<NN_Mask, "::lispier::nn::Mask::Causal">:$mask,
                       OptionalAttr<I64Attr>:$window, OptionalAttr<F32Attr>:$scale);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`cache` $key_cache^ `,` $value_cache)? (`at` $position^)? (`window` $window_size^)? `into` $out
    attr-dict `:` type(operands)
  }];
}

def NN_RotatedAttentionOp : NN_Op<"rotated_attention", [AttrSizedOperandSegments]> {
  let summary = "Attention of one token with caches, whose query and key are rotated first"
                " (rotary position embedding)";
  let description = [{
    `rotated[0,n,i] = x[n,i] * cosines[0,i] - x[n,i+D/2] * sines[0,i]` and
    `rotated[0,n,i+D/2] = x[n,i+D/2] * cosines[0,i] + x[n,i] * sines[0,i]` for `i < D/2` (Su et al. 2021), where x are
    the H heads of `q`, then the G heads of `k`. Then nn.attention with the mask `causal` and these heads as q and k.

    `q` and `out` [1,H,D], `k` and `v` [1,G,D], `cosines` and `sines` [1,D/2] f32, `rotated` [1,H+G,D] of the element
    type of q, k and v, the other operands and attributes as in nn.attention. `rotated` is scratch memory: heads are
    rounded to its element type, and its contents afterwards are undefined. Only `q`, `k` and `v` may overlap. Without
    `position` the token is the first. The op exists because a kernel of one token can rotate what it reads in less
    time than a launch takes.
  }];
  let arguments = (ins NN_In<NN_Heads>:$q, NN_In<NN_Heads>:$k, NN_In<NN_Heads>:$v, NN_In<NN_MatrixF32>:$cosines,
                       NN_In<NN_MatrixF32>:$sines, NN_Scratch<NN_Heads>:$rotated, NN_State<NN_Cache>:$key_cache,
                       NN_State<NN_Cache>:$value_cache, NN_OptionalIn<NN_CellI32>:$position,
                       NN_OptionalIn<NN_CellI32>:$window_size, NN_Out<NN_Heads>:$out, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F32Attr>:$scale);
  let assemblyFormat = [{
    $q `,` $k `,` $v `by` $cosines `,` $sines `through` $rotated `cache` $key_cache `,` $value_cache
    (`at` $position^)? (`window` $window_size^)? `into` $out attr-dict `:` type(operands)
  }];
}

def NN_SoftmaxOp : NN_Op<"softmax"> {
  let summary = "Softmax of each row";
  let description = [{
    `out[t,c] = e^(x[t,c] - m[t]) / sum_j e^(x[t,j] - m[t])` with `m[t] = max_c x[t,c]` (Bridle 1990).

    `x` and `out` [T,C]. `out` may be `x`.
  }];
  let arguments = (ins NN_InPlace<NN_Matrix>:$x, NN_Out<NN_Matrix>:$out);
  let assemblyFormat = "$x `into` $out attr-dict `:` type(operands)";
}

def NN_GeluOp : NN_Op<"gelu"> {
  let summary = "Gaussian error linear unit, the tanh form";
  let description = [{
    `out[...] = 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))` (Hendrycks and Gimpel 2016).

    `x` and `out` of one shape, any rank. `out` may be `x`.
  }];
  let arguments = (ins NN_InPlace<NN_AnyRank>:$x, NN_Out<NN_AnyRank>:$out);
  let assemblyFormat = "$x `into` $out attr-dict `:` type(operands)";
}

def NN_AddOp : NN_Op<"add"> {
  let summary = "Elementwise sum";
  let description = [{
    `out[...] = a[...] + b[...]`; `a`, `b` and `out` of one shape, any rank. `out` may be `a` or `b`.
  }];
  let arguments = (ins NN_InPlace<NN_AnyRank>:$a, NN_InPlace<NN_AnyRank>:$b, NN_Out<NN_AnyRank>:$out);
  let assemblyFormat = "$a `,` $b `into` $out attr-dict `:` type(operands)";
}

//===----------------------------------------------------------------------===//
// Rows by number
//===----------------------------------------------------------------------===//

def NN_AddAtOp : NN_Op<"add_at"> {
  let summary = "Add rows to the rows of a table that numbers name";
  let description = [{
    `out[v, c] = out[v, c] + sum { rows[n, c] : indices[n] = v }`, summed in the order of n, in f32, or in f64 if `out`
    is, and rounded once: the same bits each time. It is the gradient of a gather, as `numpy.add.at` or PyTorch's
    `index_add`. An index outside of 0..V-1 ends the program on targets that report errors; elsewhere its row counts
    nowhere.

    `indices` [N] i32, `rows` [N C], `out` [V C] of any floats, `scratch` [2 V + 2 N + 2] i32: where the rows of
    each index end among those sorted by index, how many these are, and the sorted rows' numbers; a kernel may keep a
    list of the indices that occur behind these, and two counters.
  }];
  let arguments = (ins NN_In<NN_VectorI32>:$indices, NN_In<NN_AnyMatrix>:$rows, NN_Scratch<NN_VectorI32>:$scratch,
                       NN_Update<NN_AnyMatrix>:$out);
  let assemblyFormat = "$indices `,` $rows `,` $scratch `into` $out attr-dict `:` type(operands)";
}

def NN_SetAtOp : NN_Op<"set_at"> {
  let summary = "Replace the rows of a table that numbers name";
  let description = [{
    `out[indices[n], c] = rows[n, c]`, in the order of n: of rows with equal indices the last one is left. An index
    outside of 0..V-1 is what it is for nn.add_at.

    `indices` [N] i32, `rows` [N C] and `out` [V C] of one type, `scratch` [V] i32: which row each index has last.
  }];
  let arguments = (ins NN_In<NN_VectorI32>:$indices, NN_In<NN_MatrixOfNumbers>:$rows,
                       NN_Scratch<NN_VectorI32>:$scratch, NN_Update<NN_MatrixOfNumbers>:$out);
  let assemblyFormat = "$indices `,` $rows `,` $scratch `into` $out attr-dict `:` type(operands)";
}

def NN_ExtremeAtOp : NN_Op<"extreme_at"> {
  let summary = "Keep the greatest or least of the rows of a table and those that numbers put there";
  let description = [{
    `out[v, c] = max(out[v, c], max { rows[n, c] : indices[n] = v })`, or with `least` the minimum; NaN if one of them
    is. An index outside of 0..V-1 is what it is for nn.add_at.

    `indices` [N] i32, `rows` [N C] and `out` [V C] of one type: i32, i64, f32 or f64.
  }];
  let arguments = (ins NN_In<NN_VectorI32>:$indices, NN_In<NN_ComparableMatrix>:$rows,
                       NN_Update<NN_ComparableMatrix>:$out, UnitAttr:$least);
  let assemblyFormat = "$indices `,` $rows (`least` $least^)? `into` $out attr-dict `:` type(operands)";
}

def NN_ArgsortOp : NN_Op<"argsort"> {
  let summary = "The places of the first elements of each row in ascending order";
  let description = [{
    `out[r, 0], out[r, 1], ..., out[r, K-1]` are the places of the first K elements of row r, sorted in ascending order,
    or in descending order if `descending` is -1. Equal elements, such as -0.0 and 0.0, are in the order of their
    places, and a NaN is greater than all else, and equal to other NaNs.

    `x` [R N] numbers of up to 64 bits, N < 2^31, `scratch` [R (3 N + 256)] i64, `descending` i32, 0 or -1, `out` [R K]
    i32, K <= N.
  }];
  let arguments = (ins NN_In<NN_MatrixOfNumbers>:$x, NN_Scratch<NN_VectorI64>:$scratch, NN_Number<I32>:$descending,
                       NN_Out<NN_MatrixI32>:$out);
  let assemblyFormat = [{
    $x `,` $scratch `descending` $descending `into` $out attr-dict `:` type($x) `,` type($scratch) `,` type($out)
  }];
}

//===----------------------------------------------------------------------===//
// Token selection
//===----------------------------------------------------------------------===//

def NN_ArgmaxOp : NN_Op<"argmax"> {
  let summary = "Index of the largest logit";
  let description = [{
    `out[0] = min { i : logits[i] = max_j logits[j] }`, the first of equal logits. A NaN is never the largest; if no
    logit is larger than minus infinity the result is 0.

    `logits` [V] f32, `out` [1] i32.
  }];
  let arguments = (ins NN_In<NN_VectorF32>:$logits, NN_Out<NN_CellI32>:$out);
  let assemblyFormat = "$logits `into` $out attr-dict `:` type(operands)";
}

def NN_SampleOp : NN_Op<"sample"> {
  let summary = "Draw a token: temperature, then top-k, then top-p";
  let description = [{
    The filters and their order are those of Hugging Face's `generate`. Weights are integers, so that every sum below
    is exact and any order of summing gives the same token. With `m = max_j logits[j]`:

    1. `temperature <= 0`: `out[0]` is nn.argmax of the logits; `state` stays as it is. Otherwise
       `q[i] = trunc(2^30 * e^((logits[i] - m) / temperature))`, 0 for a NaN: what is less likely than 2^-30 of the
       best token is never drawn.
    2. top-k: if `0 < top_k < V`, `a` is the largest integer in 1..2^30 with `#{i : q[i] >= a} >= top_k`, or 1 if
       there is none; else `a = 1`. Kept are the `q[i] >= a`: ties with the k-th are all kept (Fan et al. 2018).
    3. top-p: `S(b) = sum { q[i] : q[i] >= b }`. If `top_p < 1`, `b` is the largest integer in a..2^30 with
       `S(b) >= max(1, ceil(top_p * S(a)))`, computed in f64; else `b = a`. Kept are the `q[i] >= b`: the fewest
       most likely tokens whose share reaches top_p, ties all kept (Holtzman et al. 2020).
    4. One step of xorshift64* (Vigna 2016) on `s = state[0]` (0 is replaced by 0x9E3779B97F4A7C15):
       `s ^= s >> 12; s ^= s << 25; s ^= s >> 27; state[0] = s`, giving `u = s * 0x2545F4914F6CDD1D mod 2^64` and
       `r = floor(u * S(b) / 2^64)`, uniform in 0..S(b)-1.
    5. `out[0] = min { i : sum { q[j] : j <= i, q[j] >= b } > r }`.

    If all weights are 0 (no logit is a number, or the largest is infinite) `out[0]` is nn.argmax and `state` stays.

    `logits` and `scratch` [V] f32 (`scratch` is overwritten; it may be `logits`), `state` [1] i64,
    `temperature` f32, `top_k` i32 (0 = all), `top_p` f32 (1 = all), `out` [1] i32.
  }];
  let arguments = (ins NN_In<NN_VectorF32>:$logits, NN_Scratch<NN_VectorF32>:$scratch, NN_State<NN_CellI64>:$state,
                       NN_Number<F32>:$temperature, NN_Number<I32>:$top_k, NN_Number<F32>:$top_p,
                       NN_Out<NN_CellI32>:$out);
  let assemblyFormat = [{
    $logits `,` $scratch `,` $state `temperature` $temperature `top_k` $top_k `top_p` $top_p `into` $out attr-dict
    `:` type($logits) `,` type($scratch) `,` type($state) `,` type($out)
  }];
}

#endif
