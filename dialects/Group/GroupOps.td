//===- GroupOps.td - the group dialect ---------------------*- tablegen -*-===//
//
// Tensor ops that one kernel computes.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GROUP_OPS
#define LISPIER_GROUP_OPS

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Group_Dialect : Dialect {
  let name = "group";
  let cppNamespace = "::lispier::group";
  let summary = "Groups of tensor ops, each computed by one kernel";
  let description = [{
    Discardable attributes, verified by the dialect:

    - `group.inout` on a function's argument: a tensor that the function writes in the caller's memory.
    - `group.out` on a function's argument: memory of the caller, which is no other argument's, in which the function
      makes a result or its intermediate tensors.
    - `group.intermediate` on an op that makes a memref: the memory of a tensor, which overlaps no other that is in use
      at the same time.
    - `group.effects` on a call, while kernels form: the callee prints, reads a clock or does something else that is
      observed. Such calls and tensor work keep their order.
    - `group.owned_results = array<i1: ...>` on a function, while its module is bufferized: which results its callers
      free.
    - `group.kernel = "name"` on an nn op: the kernel that it was made of, with `group.apart`, its attribute `apart`; or
      the name of an nn op that was on tensors, which is a kernel.
    - `group.unscheduled = "reason"` on a kernel that no schedule fits: why.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

def Group_KindEnum : I32EnumAttr<"Kind", "what a kernel computes, by which a schedule is chosen", [
    I32EnumAttrCase<"Elementwise", 0, "elementwise">, // Each element of the results by itself.
    I32EnumAttrCase<"Row", 1, "row">,                 // Reductions over the same axes of the same rows.
    I32EnumAttrCase<"Contraction", 2, "contraction">, // One, or two of one operand that meet, and ops on them.
    I32EnumAttrCase<"Attention", 3, "attention">,     // softmax(scores of q and k) v, the scores changed elementwise.
    I32EnumAttrCase<"Copy", 4, "copy">,               // Elements as they are, elsewhere.
    I32EnumAttrCase<"Other", 5, "other">,
    I32EnumAttrCase<"Scan", 6, "scan">,               // A scan along a dimension, and elementwise ops around it.
  ]> {
  let cppNamespace = "::lispier::group";
  let genSpecializedAttr = 0;
}
def Group_Kind : EnumAttr<Group_Dialect, Group_KindEnum, "kind">;

class Group_Op<string name, list<Trait> traits = []> : Op<Group_Dialect, name, traits>;

def Group_KernelOp : Group_Op<"kernel", [
    IsolatedFromAbove, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"::lispier::group::YieldOp">,
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferizesToElementwiseAccess", "getAliasingValues",
      "bufferize", "hasTensorSemantics"]>]> {
  let summary = "Tensor ops that one kernel computes";
  let description = [{
    The body computes with values: argument i of its block is operand i, a tensor also where the operand is a memref,
    and what it yields as value i replaces `inits` i. Its ops are pure. On tensors the op has one result for each of
    `inits`; on memrefs it has none: a memref's contents when the kernel starts are its argument, and the yielded tensor
    is stored to it. A memref of `inputs` is also one of `inits`, or overlaps one, only where the kernel reads an
    element before it writes it (`readsBeforeWriting`).

    `name` is for people: `--explain` and kernels' names; so is `apart`, which says of each kernel whose result is used
    here why the two are not one. The op's location is the fused location of what is in it.

    ```mlir
    %y = group.kernel "scale" kind(elementwise) ins(%x, %a : tensor<?xf32>, f32) outs(%init : tensor<?xf32>) {
    ^bb0(%xs: tensor<?xf32>, %factor: f32, %out: tensor<?xf32>):
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%xs : tensor<?xf32>) outs(%out : tensor<?xf32>) {
      ^bb0(%e: f32, %o: f32):
        %p = arith.mulf %e, %factor : f32
        linalg.yield %p : f32
      } -> tensor<?xf32>
      group.yield %r : tensor<?xf32>
    } -> tensor<?xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Group_Kind:$kind, Variadic<AnyType>:$inputs,
                       Variadic<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$inits,
                       OptionalAttr<StrArrayAttr>:$apart);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `kind` `(` custom<Kind>($kind) `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $inits `:` type($inits) `)`
    attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "Kind":$kind, "::mlir::ValueRange":$inputs,
                                 "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }

    /// The body's argument for an operand.
    ::mlir::BlockArgument argumentOf(::mlir::OpOperand &operand) {
      return getBody().getArgument(operand.getOperandNumber());
    }
    /// Argument of the body for `inits` i.
    ::mlir::BlockArgument initArgument(unsigned i) { return getBody().getArgument(getInputs().size() + i); }
    YieldOp yieldOp();

    /// The type of the body's argument for an operand of that type: a tensor for a memref, else the type itself.
    static ::mlir::Type argumentTypeOf(::mlir::Type operand);

    /// Whether the kernel's result depends on the contents of the operand, beside its sizes.
    bool reads(::mlir::OpOperand &operand);
    /// Whether the kernel, where it writes an element of `inits`, has no later use for that element of the operand; so
    /// that the two may be the same memory.
    bool readsBeforeWriting(::mlir::OpOperand &operand);
  }];
}

def Group_YieldOp : Group_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"KernelOp">]> {
  let summary = "End the body of group.kernel with the values of its results";
  let arguments = (ins Variadic<AnyRankedTensor>:$results);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Group_AttentionOp : Group_Op<"attention", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, DestinationStyleOpInterface,
    SingleBlockImplicitTerminator<"::lispier::group::ScoreOp">,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "softmax(f(q k^T)) v, where f changes each score by itself";
  let description = [{
    The loops are, in this order, any number of outer ones, then the tokens t, the positions p, the head size c, along
    which queries and keys are multiplied, and the size n of values. Each operand has a map from loops to its
    dimensions, a permutation of those that it has:

    | operand | loops |
    |---|---|
    | `query` | outer.., t, c |
    | `key` | of the outer ones any, p, c |
    | `value` | of the outer ones any, p, n |
    | `others` | of the outer ones, t and p any; none for a number |
    | `inits` 0, the result o | outer.., t, n |
    | `inits` 1, the result lse, if it is there | outer.., t |

    So batches and heads are outer loops; one that keys and values do not have is of the heads of queries that share
    one of keys. The region makes the changed score: its arguments are the indices of the outer loops, of t and of p,
    the score, and an element of each of `others`. A mask is a select of -inf, so that schedules see which positions
    count. With s = f(sum_c q k), a float type:

        m   = max_p s
        z   = sum_p exp(s - m)
        o   = sum_p round(exp(s - m) / z) v,   rounded at the end to the result's type
        lse = m + log z

    `rounded` is the type to which the program rounds weights; without it they are as wide as the scores. A token that
    sees no position has o = NaN and lse = -inf, no positions at all make o = 0. What no token sees need not be read.
    The elements of `inits` are not read.

    ```mlir
    %o, %lse = group.attention {indexing_maps = [#q, #k, #v, #bias, #o, #lse]}
        ins(%q, %k, %v : tensor<2x?x4x64xf32>, tensor<2x?x4x64xf32>, tensor<2x?x4x64xf32>)
        scores(%bias : tensor<4xf32>) outs(%a, %b : tensor<2x?x4x64xf32>, tensor<2x4x?xf32>) {
    ^bb0(%batch: index, %head: index, %t: index, %p: index, %s: f32, %slope: f32):
      %biased = arith.addf %s, %slope : f32
      %isSeen = arith.cmpi ule, %p, %t : index
      %none = arith.constant 0xFF800000 : f32
      %masked = arith.select %isSeen, %biased, %none : f32
      group.score %masked : f32
    } -> tensor<2x?x4x64xf32>, tensor<2x4x?xf32>
    ```

    lispier-form-structures makes the op; a kernel that contains it contains nothing else. `expandAttention`
    (AttentionParts.h) makes plain linalg ops of it. Vaswani et al., "Attention is all you need", 2017.
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key, AnyRankedTensor:$value, Variadic<AnyType>:$others,
                       Variadic<AnyRankedTensor>:$inits, AffineMapArrayAttr:$indexing_maps,
                       OptionalAttr<TypeAttr>:$rounded);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score);
  let assemblyFormat = [{
    attr-dict `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    (`scores` `(` $others^ `:` type($others) `)`)? `outs` `(` $inits `:` type($inits) `)` $score
    `->` type($results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }

    /// The loops.
    unsigned outerLoops() { return mapOf(0).getNumDims() - 4; }
    unsigned tokens() { return outerLoops(); }
    unsigned positions() { return outerLoops() + 1; }
    unsigned headSize() { return outerLoops() + 2; }
    unsigned valueSize() { return outerLoops() + 3; }

    ::mlir::AffineMap mapOf(unsigned operand) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[operand]).getValue();
    }
    /// The map of result `i`.
    ::mlir::AffineMap resultMap(unsigned i) { return mapOf(getNumOperands() - getInits().size() + i); }
    /// The loop of each dimension of the operand.
    ::llvm::SmallVector<unsigned> loopsOf(unsigned operand);
    /// Which dimension of the operand has the loop; nullopt if none has.
    ::std::optional<unsigned> dimensionOf(unsigned operand, unsigned loop);
    /// kDynamic if no operand's type says it.
    int64_t staticSize(unsigned loop);
    /// Of an operand that has the loop.
    ::mlir::OpFoldResult sizeOf(::mlir::OpBuilder &b, unsigned loop);

    /// Arguments of the region.
    ::mlir::BlockArgument indexArgument(unsigned loop) { return getScore().getArgument(loop); }
    ::mlir::BlockArgument scoreArgument() { return getScore().getArgument(outerLoops() + 2); }
    ::mlir::BlockArgument otherArgument(unsigned i) { return getScore().getArgument(outerLoops() + 3 + i); }
    /// What the region makes of the score.
    ::mlir::Value changedScore();
  }];
}

def Group_ScoreOp : Group_Op<"score", [Pure, ReturnLike, Terminator, HasParent<"AttentionOp">]> {
  let summary = "End the region of group.attention with the changed score";
  let arguments = (ins AnyFloat:$changed);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "$changed `:` type($changed) attr-dict";
}

/// Vector's attribute, whose definition there would make this dialect's tables define its enums again.
def Group_CombiningKindAttr : Attr<CPred<"::llvm::isa<::mlir::vector::CombiningKindAttr>($_self)">,
                                   "a kind of combination of vector"> {
  let storageType = "::mlir::vector::CombiningKindAttr";
  let returnType = "::mlir::vector::CombiningKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::vector::CombiningKindAttr::get($_builder.getContext(), $0)";
}

def Group_ScanOp : Group_Op<"scan", [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"the start is one element", "source", "start",
                   "::llvm::cast<::mlir::ShapedType>($_self).getElementType()">,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferizesToElementwiseAccess", "getAliasingValues",
      "bufferize"]>]> {
  let summary = "What the elements up to each one combine to, along a dimension";
  let description = [{
    Of x[0], x[1], ... along the dimension the result is start + x[0], start + x[0] + x[1], ..., where + is `kind`, any
    of vector's associative ops, or what `step`, whose ops are elementwise, makes of what is combined so far and the
    next element; with `reverse` it begins with the last element, with `exclusive` each element is left
    out of its own result: the first one is `start`. In which order what is combined is associated is not defined of a
    `kind`; a `step` need not be associative, and is taken from one element to the next. The
    elements of `init` are not read. On tensors the op has a result; on memrefs it has none, and `init`, which may be
    `source`, holds it.

    ```mlir
    %sums = group.scan <add> %x along 1 from %zero outs(%init : tensor<?x?xf32>) : tensor<?x?xf32> -> tensor<?x?xf32>
    %y = group.scan %x along 1 from %zero outs(%init : tensor<?x?xf32>) : tensor<?x?xf32> -> tensor<?x?xf32> {
    ^bb0(%sofar: f32, %next: f32):
      %half = arith.mulf %sofar, %c : f32
      %sum = arith.addf %half, %next : f32
      group.next %sum : f32
    }
    ```

    lispier-form-scans makes the op of a loop. On a CPU lispier-lower-scans makes loops of it on memrefs, elsewhere tile
    programs scan, or `expandScan` (ScanLoop.h) makes a loop over slices.
  }];
  let arguments = (ins OptionalAttr<Group_CombiningKindAttr>:$kind,
                       AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$source, I64Attr:$dimension, AnyType:$start,
                       UnitAttr:$reverse, UnitAttr:$exclusive,
                       AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$init);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region AnyRegion:$step);
  let assemblyFormat = [{
    custom<Combination>($kind) $source `along` $dimension `from` $start
    (`reverse` $reverse^)? (`exclusive` $exclusive^)? `outs` `(` $init `:` type($init) `)` attr-dict
    `:` type($source) (`->` type($result)^)? ($step^)?
  }];
  /// Without a kind, the step is to be added.
  let builders = [OpBuilder<(ins "::std::optional<::mlir::vector::CombiningKind>":$kind, "::mlir::Value":$source,
                                 "int64_t":$dimension,
                                 "::mlir::Value":$start, "bool":$reverse, "bool":$exclusive, "::mlir::Value":$init)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    bool hasStep() { return !getStep().empty(); }
  }];
}

def Group_NextOp : Group_Op<"next", [Pure, ReturnLike, Terminator, HasParent<"ScanOp">]> {
  let summary = "End the step of group.scan with what is combined up to the element";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value `:` type($value) attr-dict";
}

def Group_BeginOp : Group_Op<"begin", [AttrSizedOperandSegments]> {
  let summary = "Begin the code of a kernel whose runs are timed";
  let description = [{
    Between this op and the `group.end` that follows in its block is the kernel `name`, or what has become of it.
    `bytes` is what it reads and writes, `least` how many microseconds the device takes at least; each is absent if
    unknown. lispier-time-groups makes the two ops for --explain with --trace, and lispier-call-kernel-times makes calls
    of the runtime of them (Runtime/Core/KernelTimes.h). Like such a call they have effects of any kind, so that nothing
    that has an effect is moved across them.
  }];
  let arguments = (ins StrAttr:$name, Optional<Index>:$bytes, Optional<F64>:$least);
  let assemblyFormat = "$name (`bytes` $bytes^)? (`least` $least^)? attr-dict";
}

def Group_EndOp : Group_Op<"end"> {
  let summary = "End the code of the kernel that the last group.begin names";
  let assemblyFormat = "attr-dict";
}

#endif
