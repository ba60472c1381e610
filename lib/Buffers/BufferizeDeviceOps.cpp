//===- BufferizeDeviceOps.cpp - tensors of replay and download ------------===//
//
// A result of device.replay is what its device.yield has as that operand: the same
// buffer. Bodies have one block here; only later passes make several. The result
// of device.download is memory of its own, never that of another tensor.
//
//===----------------------------------------------------------------------===//
#include "BufferizeDeviceOps.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace lispier {
namespace {
using device::DownloadOp;
using device::ReplayOp;
using device::YieldOp;

struct Replay : BufferizableOpInterface::ExternalModel<Replay, ReplayOp> {
  bool isWritable(Operation *, Value, const AnalysisState &) const { return true; }

  AliasingOpOperandList getAliasingOpOperands(Operation *op, Value value, const AnalysisState &) const {
    Operation *yield = cast<ReplayOp>(op).getBody().front().getTerminator();
    return {{&yield->getOpOperand(cast<OpResult>(value).getResultNumber()), BufferRelation::Equivalent}};
  }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                                          const BufferizationState &state, SmallVector<Value> &asked) const {
    Operation *yield = cast<ReplayOp>(op).getBody().front().getTerminator();
    Value yielded = yield->getOperand(cast<OpResult>(value).getResultNumber());
    if (auto type = dyn_cast<BufferLikeType>(yielded.getType()))
      return type;
    return bufferization::getBufferType(yielded, options, state, asked);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &,
                          BufferizationState &) const {
    auto replay = cast<ReplayOp>(op);
    if (!replay.getBody().hasOneBlock())
      return replay.emitOpError("with tensors has a body of one block");
    // Its yield has been bufferized: inner ops come first.
    TypeRange types = replay.getBody().front().getTerminator()->getOperandTypes();
    auto bufferized = ReplayOp::create(rewriter, op->getLoc(), types);
    bufferized.getBody().takeBody(replay.getBody());
    replaceOpWithBufferizedValues(rewriter, op, bufferized->getResults());
    return success();
  }
};

struct Yield : BufferizableOpInterface::ExternalModel<Yield, YieldOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  bool mustBufferizeInPlace(Operation *, OpOperand &, const AnalysisState &) const { return true; }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return {{op->getParentOp()->getResult(operand.getOperandNumber()), BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> results;
    for (Value value : op->getOperands()) {
      if (!isa<TensorType>(value.getType())) {
        results.push_back(value);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
      if (failed(buffer))
        return failure();
      results.push_back(*buffer);
    }
    replaceOpWithNewBufferizedOp<YieldOp>(rewriter, op, results);
    return success();
  }
};

struct Download : BufferizableOpInterface::ExternalModel<Download, DownloadOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &, const AnalysisState &) const { return true; }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &, const AnalysisState &) const { return false; }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  AliasingValueList getAliasingValues(Operation *, OpOperand &, const AnalysisState &) const { return {}; }

  FailureOr<BufferLikeType> getBufferType(Operation *, Value value, const BufferizationOptions &,
                                          const BufferizationState &, SmallVector<Value> &) const {
    auto type = cast<RankedTensorType>(value.getType());
    return cast<BufferLikeType>(MemRefType::get(type.getShape(), type.getElementType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto download = cast<DownloadOp>(op);
    FailureOr<Value> source = getBuffer(rewriter, download.getSource(), options, state);
    if (failed(source))
      return failure();
    auto type = cast<RankedTensorType>(download.getType());
    replaceOpWithNewBufferizedOp<DownloadOp>(rewriter, op, MemRefType::get(type.getShape(), type.getElementType()),
                                             *source);
    return success();
  }
};
} // namespace

namespace {
/// Moves the op, and what its operands are computed of, before the step that it is in, if it can be there.
bool moveBefore(Operation *op, ReplayOp step) {
  bool moves = op->getBlock() == &step.getBody().front() && llvm::all_of(op->getOperands(), [&](Value operand) {
                 if (!step.getBody().isAncestor(operand.getParentRegion()))
                   return true;
                 Operation *made = operand.getDefiningOp();
                 return made && isPure(made) && moveBefore(made, step);
               });
  if (moves)
    op->moveBefore(step);
  return moves;
}
} // namespace

bool makeBeforeSteps(func::FuncOp function, llvm::function_ref<bool(Operation *)> isOwn) {
  bool changed = false;
  function.walk([&](YieldOp yield) {
    auto step = cast<ReplayOp>(yield->getParentOp());
    for (Value result : yield.getResults())
      if (auto alloc = result.getDefiningOp<memref::AllocOp>(); alloc && step->isProperAncestor(alloc) && isOwn(alloc))
        changed |= moveBefore(alloc, step);
  });
  return changed;
}

void registerDeviceBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, device::DeviceDialect *) {
    ReplayOp::attachInterface<Replay>(*context);
    YieldOp::attachInterface<Yield>(*context);
    DownloadOp::attachInterface<Download>(*context);
  });
}
} // namespace lispier
