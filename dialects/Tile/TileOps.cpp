//===- TileOps.cpp - syntax and verification of the tile ops --------------===//
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace {
/// All of `types` are one type, which is written once.
ParseResult parseSameTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands) {
  Type type;
  if (parser.parseType(type))
    return failure();
  types.assign(operands.size(), type);
  return success();
}

void printSameTypes(OpAsmPrinter &printer, Operation *, TypeRange types, OperandRange) { printer << types.front(); }

/// `element` is the element type of `vector`, which is written already.
ParseResult parseElementOf(OpAsmParser &, Type &element, Type vector) {
  element = getElementTypeOrSelf(vector);
  return success();
}

void printElementOf(OpAsmPrinter &, Operation *, Type, Type) {}

/// Checks an op that accesses, for each element of the index tiles, one element of `base`.
LogicalResult verifyElements(Operation *op, MemRefType base, VectorType value, OperandRange indices, Value mask) {
  if (base.getElementType() != value.getElementType())
    return op->emitOpError("accesses elements of ")
           << base.getElementType() << ", but the tile has elements of " << value.getElementType();
  if (int64_t(indices.size()) != base.getRank())
    return op->emitOpError("has ") << indices.size() << " index tiles for a memref of rank " << base.getRank();
  for (Value index : indices)
    if (cast<VectorType>(index.getType()).getShape() != value.getShape())
      return op->emitOpError("has an index tile of type ") << index.getType() << " for a tile of type " << value;
  if (mask && cast<VectorType>(mask.getType()).getShape() != value.getShape())
    return op->emitOpError("has a mask of type ") << mask.getType() << " for a tile of type " << value;
  return success();
}
} // namespace

#define GET_OP_CLASSES
#include "lispier/Tile/TileOps.cpp.inc"

namespace lispier::tile {
LogicalResult GatherOp::verify() {
  return verifyElements(*this, cast<MemRefType>(getBase().getType()), cast<VectorType>(getType()), getIndices(),
                        getMask());
}

LogicalResult ChooseOp::verify() {
  for (Attribute each : getCandidates())
    if (!isa<DictionaryAttr>(each))
      return emitOpError("has a candidate that is no dictionary of values: ") << each;
  if (getCombinations() && getCandidates().size() != 1)
    return emitOpError("is measured, and has ") << getCandidates().size() << " candidates instead of one";
  for (Attribute each : allRules()) {
    auto rule = cast<TunedAttr>(each);
    if (rule.getCandidate() < 0 || rule.getCandidate() >= int64_t(getCandidates().size()))
      return emitOpError("has a rule for candidate ")
             << rule.getCandidate() << ", but " << getCandidates().size() << " candidates";
    if (rule.getSizes() && rule.getSizes().size() != int64_t(getSizes().size()))
      return emitOpError("has a rule for ") << rule.getSizes().size() << " sizes, but " << getSizes().size();
  }
  if (!getResult().hasOneUse() || !isa<scf::IndexSwitchOp>(*getResult().user_begin()))
    return emitOpError("is used by one scf.index_switch");
  return success();
}

LogicalResult ScatterOp::verify() {
  return verifyElements(*this, cast<MemRefType>(getBase().getType()), cast<VectorType>(getValue().getType()),
                        getIndices(), getMask());
}

LogicalResult AtomicAddOp::verify() {
  return verifyElements(*this, cast<MemRefType>(getBase().getType()), cast<VectorType>(getValue().getType()),
                        getIndices(), getMask());
}

LogicalResult WarpgroupMmaOp::verify() {
  if (isa<MemRefType>(getA().getType()) != bool(getAIndex()))
    return emitOpError("takes a of shared memory at an index, or in registers without one");
  if (getATransposed() && !getAIndex())
    return emitOpError("takes a transposed of shared memory only");
  return success();
}
} // namespace lispier::tile
