//===- PassTensorsToKernels.cpp - tensors as arguments of kernels ---------===//
//
// Before: kernels have parameters that are tensors, of which a thread reads elements
// and sizes. After: they have memory in their place, and each launch passes that of
// its tensor, which bufferization copies if something else writes it afterwards.
//
//===----------------------------------------------------------------------===//
#include "lispier/Buffers/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/DebugStringHelper.h"

namespace lispier {
#define GEN_PASS_DEF_PASSTENSORSTOKERNELS
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
MemRefType memoryOf(RankedTensorType type) { return MemRefType::get(type.getShape(), type.getElementType()); }

/// Replaces a use of a tensor by the same of its memory.
LogicalResult readMemory(Operation *user, Value tensor, Value memory) {
  OpBuilder b(user);
  Location loc = user->getLoc();
  if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
    extract.replaceAllUsesWith(memref::LoadOp::create(b, loc, memory, extract.getIndices()).getResult());
  } else if (auto dim = dyn_cast<tensor::DimOp>(user)) {
    dim.replaceAllUsesWith(memref::DimOp::create(b, loc, memory, dim.getIndex()).getResult());
  } else if (auto cast = dyn_cast<tensor::CastOp>(user)) {
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    if (!type)
      return cast.emitOpError("makes a tensor of unknown rank in a kernel");
    Value same = memref::CastOp::create(b, loc, memoryOf(type), memory);
    for (Operation *next : llvm::make_early_inc_range(cast->getUsers()))
      if (failed(readMemory(next, cast, same)))
        return failure();
  } else {
    return user->emitError("a kernel reads elements and sizes of `")
           << debugString(tensor.getType())
           << "`, a parameter, and this is an op on the whole tensor; compute it before the launch";
  }
  user->erase();
  return success();
}

LogicalResult takeMemory(gpu::GPUFuncOp kernel) {
  SmallVector<Type> types;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) { // Shared memory has arguments behind these.
    BlockArgument argument = kernel.getArgument(i);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    types.push_back(type ? memoryOf(type) : argument.getType());
    if (!type)
      continue;
    BlockArgument memory = kernel.getBody().insertArgument(i + 1, types.back(), argument.getLoc());
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (failed(readMemory(user, argument, memory)))
        return failure();
    kernel.getBody().eraseArgument(i);
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  return success();
}

void passMemory(gpu::LaunchFuncOp launch) {
  OpBuilder b(launch);
  for (OpOperand &operand : launch->getOpOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      operand.set(bufferization::ToBufferOp::create(b, launch.getLoc(), memoryOf(type), operand.get()));
}

struct PassTensorsToKernels : impl::PassTensorsToKernelsBase<PassTensorsToKernels> {
  using PassTensorsToKernelsBase::PassTensorsToKernelsBase;
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](gpu::GPUFuncOp kernel) {
      return failed(takeMemory(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk(passMemory);
  }
};
} // namespace
} // namespace lispier
