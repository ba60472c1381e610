//===- OwnedResults.cpp - whose memory the results of functions are -------===//
#include "OwnedResults.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using bufferization::DeallocationOptions;
using bufferization::DeallocationState;

namespace {
bool isOwned(func::FuncOp function, unsigned result) {
  auto owned = function ? function->getAttrOfType<DenseBoolArrayAttr>(lispier::kOwnedResultsAttr) : nullptr;
  return owned && owned[result];
}

Value constant(OpBuilder &builder, Location loc, bool value) {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
}

struct CallOwnership : bufferization::BufferDeallocationOpInterface::ExternalModel<CallOwnership, func::CallOp> {
  FailureOr<Operation *> process(Operation *op, DeallocationState &state, const DeallocationOptions &) const {
    auto callee =
        state.getSymbolTable()->lookupNearestSymbolFrom<func::FuncOp>(op, cast<func::CallOp>(op).getCalleeAttr());
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      if (!isa<BaseMemRefType>(result.getType()))
        continue;
      bool owned = isOwned(callee, result.getResultNumber());
      state.updateOwnership(result, constant(builder, op->getLoc(), owned));
      if (owned)
        state.addMemrefToDeallocate(result, result.getParentBlock());
    }
    return op;
  }
};

struct ReturnOwnership : bufferization::BufferDeallocationOpInterface::ExternalModel<ReturnOwnership, func::ReturnOp> {
  /// The memref, or a copy of it where it is not this function's to give away.
  static Value owned(OpBuilder &builder, DeallocationState &state, Value memref) {
    auto [value, isOurs] = state.getMemrefWithUniqueOwnership(builder, memref, builder.getInsertionBlock());
    if (matchPattern(isOurs, m_One()))
      return value;
    Location loc = memref.getLoc();
    auto either = scf::IfOp::create(
        builder, loc, isOurs, [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, value); },
        [&](OpBuilder &b, Location l) {
          scf::YieldOp::create(b, l, bufferization::CloneOp::create(b, l, value).getResult());
        });
    state.updateOwnership(either.getResult(0), constant(builder, loc, true));
    state.addMemrefToDeallocate(either.getResult(0), builder.getInsertionBlock());
    return either.getResult(0);
  }

  FailureOr<Operation *> process(Operation *op, DeallocationState &state, const DeallocationOptions &) const {
    auto function = op->getParentOfType<func::FuncOp>();
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BaseMemRefType>(operand.get().getType()) && isOwned(function, operand.getOperandNumber()))
        operand.set(owned(builder, state, operand.get()));
    SmallVector<Value> ownerships;
    return bufferization::deallocation_impl::insertDeallocOpForReturnLike(state, op, op->getOperands(), ownerships);
  }
};
} // namespace

void lispier::markOwnedResults(func::FuncOp function) {
  SmallVector<bool> owned =
      llvm::map_to_vector(function.getResultTypes(), [](Type type) { return isa<TensorType>(type); });
  function->setAttr(lispier::kOwnedResultsAttr, DenseBoolArrayAttr::get(function.getContext(), owned));
}

void lispier::unmarkOwnedResults(func::FuncOp function) { function->removeAttr(lispier::kOwnedResultsAttr); }

void lispier::registerOwnedResults(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::CallOp::attachInterface<CallOwnership>(*context);
    func::ReturnOp::attachInterface<ReturnOwnership>(*context);
  });
}
