//===- LongVectorsToLinalg.cpp - vectors of host code that fill no register -===//
//
// LLVM takes a vector of any length apart into registers, all at once: 4,096
// numbers are 256 registers of AVX-512 for each op. Such vectors are tiles of a
// program of one block, and are lowered as those are, to loops over memory. A
// function with an op on vectors that tile programs do not have is left as it
// is.
//
//===----------------------------------------------------------------------===//
#include "TileUses.h"
#include "TilesToLinalg.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lispier {
#define GEN_PASS_DEF_LONGVECTORSTOLINALG
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier::tiles {
namespace {
/// What all registers of a processor with long vectors hold, twice.
constexpr int64_t kLongBytes = 4096;

bool isLong(Value value) {
  VectorType type = tileType(value);
  return type && !type.isScalable() && isa<IntegerType, FloatType, IndexType>(type.getElementType()) &&
         type.getNumElements() * byteSize(type.getElementType()) > kLongBytes;
}

/// Whether the vector may be a tile: it has a buffer's type.
bool mayBeTile(Value value) {
  VectorType type = tileType(value);
  return !type || (!type.isScalable() && type.getRank() > 0 && type.getElementType().isIntOrIndexOrFloat());
}

bool isWholeAccess(MemRefType memory, VectorType vector) {
  return memory.getElementType() == vector.getElementType() && memory.getRank() >= vector.getRank();
}

/// Whether tile programs have the op, maybe in another form (replaceForm).
bool isTileOp(Operation *op) {
  if (!llvm::all_of(op->getOperands(), mayBeTile) || !llvm::all_of(op->getResults(), mayBeTile))
    return false;
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op->getParentOp());
  return TypeSwitch<Operation *, bool>(op)
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, vector::ReductionOp, vector::MultiDimReductionOp,
            vector::ScanOp, vector::FMAOp>([](Operation *) { return true; })
      .Case<scf::ExecuteRegionOp>([](scf::ExecuteRegionOp region) { return region.getRegion().hasOneBlock(); })
      .Case<vector::TransferReadOp, vector::TransferWriteOp>([](auto transfer) {
        auto memory = dyn_cast<MemRefType>(transfer.getBase().getType());
        return memory && isWholeAccess(memory, transfer.getVectorType()) &&
               transfer.getPermutationMap().isMinorIdentity();
      })
      .Case<vector::LoadOp, vector::StoreOp>(
          [](auto access) { return isWholeAccess(access.getMemRefType(), access.getVectorType()); })
      .Case<vector::ContractionOp>(
          [](vector::ContractionOp product) { return product.getKind() == vector::CombiningKind::ADD; })
      .Case<vector::ExtractOp>([](vector::ExtractOp extract) { return !tileType(extract.getResult()); })
      .Case<arith::ConstantOp>([](arith::ConstantOp constant) { return isa<DenseElementsAttr>(constant.getValue()); })
      .Default([](Operation *other) { return isReshape(other) || isElementwise(other); });
}

/// Whether the function has long vectors, and ops on vectors that all are those of tile programs.
bool isTileProgram(func::FuncOp function) {
  if (!function.getFunctionBody().hasOneBlock())
    return false;
  bool hasLong = false;
  WalkResult result = function.walk([&](Operation *op) {
    auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
    bool hasVectors = llvm::any_of(op->getOperands(), isVector) || llvm::any_of(op->getResults(), isVector);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        hasVectors |= llvm::any_of(block.getArguments(), isVector);
    if (!hasVectors)
      return WalkResult::advance();
    hasLong |= llvm::any_of(op->getOperands(), isLong) || llvm::any_of(op->getResults(), isLong);
    // Buffers belong to the function, and an iteration of a parallel loop needs its own.
    for (Operation *around = op->getParentOp(); around != function; around = around->getParentOp())
      if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(around))
        return WalkResult::interrupt();
    return isTileOp(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasLong && !result.wasInterrupted();
}

/// A number that changes no result of the reduction.
Value initialOf(OpBuilder &b, vector::ReductionOp op) {
  Location loc = op.getLoc();
  Type type = op.getDest().getType();
  switch (op.getKind()) {
  case vector::CombiningKind::ADD:
  case vector::CombiningKind::XOR:
    if (auto number = dyn_cast<FloatType>(type)) // 0 + -0 is 0.
      return arith::ConstantOp::create(
          b, loc, b.getFloatAttr(type, APFloat::getZero(number.getFloatSemantics(), /*Negative=*/true)));
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  case vector::CombiningKind::MUL:
    return arith::ConstantOp::create(b, loc, b.getOneAttr(type));
  default: // One of the numbers may come twice.
    return vector::ExtractOp::create(b, loc, op.getVector(), 0);
  }
}

/// Gives an op the form that tile programs have.
void replaceForm(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto inBounds = [](VectorType type) { return SmallVector<bool>(type.getRank(), true); };
  Operation *made = nullptr;
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    VectorType type = load.getVectorType();
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    made = vector::TransferReadOp::create(b, loc, type, load.getBase(), load.getIndices(), none, inBounds(type));
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    made = vector::TransferWriteOp::create(b, loc, store.getValueToStore(), store.getBase(), store.getIndices(),
                                           inBounds(store.getVectorType()));
  } else if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    Value initial = reduction.getAcc() ? reduction.getAcc() : initialOf(b, reduction);
    made = vector::MultiDimReductionOp::create(b, loc, reduction.getVector(), initial, SmallVector<bool>{true},
                                               reduction.getKind());
  } else if (auto product = dyn_cast<vector::FMAOp>(op)) {
    made = math::FmaOp::create(b, loc, product.getLhs(), product.getRhs(), product.getAcc());
  } else {
    return;
  }
  op->replaceAllUsesWith(made->getResults());
  op->erase();
}

struct LongVectorsToLinalg : lispier::impl::LongVectorsToLinalgBase<LongVectorsToLinalg> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || !isTileProgram(function))
        continue;
      function.walk(replaceForm);
      if (failed(lowerTilesToLinalg(function, symbols, /*readInPlace=*/true)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace lispier::tiles
