//===- CommOps.td - the comm dialect -----------------------*- tablegen -*-===//
//
// Collectives: what the ranks of a program compute together. In destination style,
// as ops of the nn dialect: on memrefs an op writes `out` and has no results; on
// tensors its result is the new value of `out`, of which only the sizes matter.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_COMM_OPS
#define LISPIER_COMM_OPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::lispier::comm";
  let summary = "Ranks and what they exchange";
  let description = [{
    A program runs as several ranks: processes that execute it side by side, numbered in row-major order along the axes
    of a mesh. `comm.mesh = "dp,tp=2"` on the module names the axes, the outermost first, with their sizes where the
    program gives them; the others are known only when the program runs. `comm.digest` beside it follows from the
    program, by which ranks see that they run the same one.

    Each op names the axes that it goes over: it concerns the ranks that differ along these axes only.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Comm_CombineEnum : I32EnumAttr<"Combine", "how the numbers of several ranks become one", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  ]> {
  let cppNamespace = "::lispier::comm";
  let genSpecializedAttr = 0;
}
/// Written `#comm<combine add>`.
def Comm_Combine : EnumAttr<Comm_Dialect, Comm_CombineEnum, "combine">;

class Comm_Op<string name, list<Trait> traits = []> : Op<Comm_Dialect, name, traits>;

class Comm_PlaceOp<string name> : Comm_Op<name, [Pure]> {
  let arguments = (ins StrArrayAttr:$axes);
  let results = (outs Index:$result);
  let assemblyFormat = "`over` $axes attr-dict";
}

def Comm_RankOp : Comm_PlaceOp<"rank"> {
  let summary = "The place of this rank along axes, or of all ranks";
  let description = [{
    From 0, in row-major order of the axes as the mesh has them; with no axis among all ranks.

    ```mlir
    %place = comm.rank over ["tp"]
    ```
  }];
}

def Comm_SizeOp : Comm_PlaceOp<"size"> {
  let summary = "The number of ranks along axes, or of all ranks";
  let description = [{ Known only when the program runs; the same on all ranks. }];
}

def Comm_AssumeOp : Comm_Op<"assume", [Pure, AllTypesMatch<["in", "result"]>]> {
  let summary = "Its operand, of which the program says that each rank has a part along a dimension";
  let description = [{
    With `joins` a rank has a part of each of several tensors, one behind the other; with `partial` a term of a sum over
    the ranks, whatever the dimension.
  }];
  let arguments = (ins AnyRankedTensor:$in, I64Attr:$dimension, StrArrayAttr:$axes, UnitAttr:$joins,
                   UnitAttr:$partial);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $in `over` $axes `dimension` $dimension (`joins` $joins^)? (`partial` $partial^)? attr-dict `:` type($in)
  }];
  let hasCanonicalizeMethod = 1; // Its sizes are those of the operand.
}

def Comm_SettleOp : Comm_Op<"settle", [Pure, AllTypesMatch<["in", "result"]>]> {
  let summary = "A cotangent, placed on the ranks as its primal value is";
  let description = [{
    The cotangent of a value that all ranks have is the same on all of them: where it is a partial sum, the op becomes
    an all-reduce, else its operand. lispier-differentiate makes these ops, and lispier-check-placements, which knows
    the placements of both, replaces them.

    ```mlir
    %g = comm.settle %cotangent like %weight : tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$in, AnyRankedTensor:$primal);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$in `like` $primal attr-dict `:` type($in) `,` type($primal)";
}

class Comm_Collective<string name> : Comm_Op<name, [
    DestinationStyleOpInterface, MemoryEffectsOpInterface, InferTypeOpInterface, ReifyRankedShapedTypeOpInterface,
    BufferizableOpInterface]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    void getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      addEffects(getOperation(), effects);
    }
    static ::llvm::LogicalResult inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                                                  ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
                                                  ::mlir::OpaqueProperties, ::mlir::RegionRange,
                                                  ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      addResultTypes(operands, types);
      return ::mlir::success();
    }
    ::llvm::LogicalResult reifyResultShapes(::mlir::OpBuilder &builder,
                                            ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return addResultShapes(getOperation(), builder, shapes);
    }
    bool bufferizesToMemoryRead(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return operand.getOperandNumber() != kOutOperand;
    }
    bool bufferizesToMemoryWrite(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return operand.getOperandNumber() == kOutOperand;
    }
    /// Where each number is made of that at its place, `out` may be the memory of `in`.
    bool bufferizesToElementwiseAccess(const ::mlir::bufferization::AnalysisState &,
                                       ::llvm::ArrayRef<::mlir::OpOperand *>) {
      return ::llvm::isa<AllReduceOp, FromRankOp>(getOperation());
    }
    ::mlir::bufferization::AliasingValueList getAliasingValues(::mlir::OpOperand &operand,
                                                               const ::mlir::bufferization::AnalysisState &) {
      if (operand.getOperandNumber() != kOutOperand)
        return {};
      return {{getOperation()->getResult(0), ::mlir::bufferization::BufferRelation::Equivalent}};
    }
    ::llvm::LogicalResult bufferize(::mlir::RewriterBase &rewriter,
                                    const ::mlir::bufferization::BufferizationOptions &options,
                                    ::mlir::bufferization::BufferizationState &state) {
      return bufferizeCollective(getOperation(), rewriter, options, state);
    }
  }];
}

def Comm_Buffer : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

def Comm_AllReduceOp : Comm_Collective<"all_reduce"> {
  let summary = "The numbers of all ranks, combined element by element";
  let description = [{
    Every rank gets the sum, the mean (of floats), the greatest or the least of each element. `out` may be `in`.

    ```mlir
    %sum = comm.all_reduce add %part into %out over ["tp"] : tensor<?xf32> into tensor<?xf32>
    ```
  }];
  let arguments = (ins Comm_Buffer:$in, Comm_Buffer:$out, Comm_Combine:$by, StrArrayAttr:$axes);
  let assemblyFormat = "custom<Combine>($by) $in `into` $out `over` $axes attr-dict "
                       "`:` custom<Types>(type($in), type($out), type($results))";
}

def Comm_AllGatherOp : Comm_Collective<"all_gather"> {
  let summary = "The parts of all ranks, joined along a dimension";
  let arguments = (ins Comm_Buffer:$in, Comm_Buffer:$out, I64Attr:$dimension, StrArrayAttr:$axes);
  let assemblyFormat = "$in `into` $out `over` $axes `dimension` $dimension attr-dict "
                       "`:` custom<Types>(type($in), type($out), type($results))";
}

def Comm_ReduceScatterOp : Comm_Collective<"reduce_scatter"> {
  let summary = "This rank's part, along a dimension, of the numbers of all ranks combined";
  let arguments = (ins Comm_Buffer:$in, Comm_Buffer:$out, I64Attr:$dimension, Comm_Combine:$by, StrArrayAttr:$axes);
  let assemblyFormat = "custom<Combine>($by) $in `into` $out `over` $axes `dimension` $dimension attr-dict "
                       "`:` custom<Types>(type($in), type($out), type($results))";
}

def Comm_OwnPartOp : Comm_Collective<"own_part"> {
  let summary = "This rank's part, along a dimension, of what all ranks have";
  let description = [{ Nothing is exchanged: a copy of a slice, whose place follows from the rank. }];
  let arguments = (ins Comm_Buffer:$in, Comm_Buffer:$out, I64Attr:$dimension, StrArrayAttr:$axes);
  let assemblyFormat = "$in `into` $out `over` $axes `dimension` $dimension attr-dict "
                       "`:` custom<Types>(type($in), type($out), type($results))";
}

def Comm_FromRankOp : Comm_Collective<"from_rank"> {
  let summary = "What the rank at a place along the axes has";
  let description = [{ `rank` is the same number on all ranks. `out` may be `in`. }];
  let arguments = (ins Comm_Buffer:$in, Comm_Buffer:$out, Index:$rank, StrArrayAttr:$axes);
  let assemblyFormat = "$in `at` $rank `into` $out `over` $axes attr-dict "
                       "`:` custom<Types>(type($in), type($out), type($results))";
}

def Comm_TogetherOp : Comm_Op<"together", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Collectives that may be done at once";
  let description = [{
    Of one kind, on memrefs, and over the same axes; none reads or writes what another one writes. An engine that can
    does them in one call.

    ```mlir
    comm.together {
      comm.all_reduce add %a into %a over ["dp"] : memref<?xf32> into memref<?xf32>
      comm.all_reduce add %b into %b over ["dp"] : memref<?xf32> into memref<?xf32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$collectives);
  let assemblyFormat = "$collectives attr-dict";
  let hasRegionVerifier = 1;
}
#endif
