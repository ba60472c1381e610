//===- ProgramTrials.cpp - whether a block can run a program --------------===//
#include "ProgramTrials.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace lispier::tensors {
/// A function that launches the program with its own arguments.
void ProgramTrials::addLaunch(OpBuilder &b, gpu::GPUFuncOp program) {
  Location loc = program.getLoc();
  auto host = func::FuncOp::create(b, loc, "launched", b.getFunctionType(program.getArgumentTypes(), {}));
  OpBuilder inside = OpBuilder::atBlockEnd(host.addEntryBlock());
  Value one = arith::ConstantIndexOp::create(inside, loc, 1);
  auto symbol = SymbolRefAttr::get(b.getStringAttr(kGroupsModule), {FlatSymbolRefAttr::get(program.getNameAttr())});
  gpu::LaunchFuncOp::create(inside, loc, symbol, gpu::KernelDim3{one, one, one}, gpu::KernelDim3{one, one, one},
                            /*dynamicSharedMemorySize=*/Value(), host.getArguments());
  func::ReturnOp::create(inside, loc);
}

bool ProgramTrials::fits(gpu::GPUFuncOp program, bool launches) {
  OwningOpRef<gpu::GPUFuncOp> copy = program.clone();
  if (FunctionOpInterface equal = seen.equalOf(*copy))
    return verdicts.at(equal);
  OpBuilder b = OpBuilder::atBlockEnd(whole.getBody()); // A pass runs others inside of its own op only.
  auto alone = ModuleOp::create(b, program.getLoc());
  alone->setAttr(device::kTarget, whole->getAttr(device::kTarget));
  alone->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(alone.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, program.getLoc(), kGroupsModule);
  b.setInsertionPointToStart(kernels.getBody());
  b.clone(*program);
  if (launches) {
    b.setInsertionPointToEnd(alone.getBody());
    addLaunch(b, program);
  }
  bool isFitting = verdicts[*copy] = passes(alone);
  alone.erase();
  tried.push_back(std::move(copy));
  return isFitting;
}
} // namespace lispier::tensors
