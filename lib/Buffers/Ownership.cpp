//===- Ownership.cpp - deallocation that only the run decides -------------===//
#include "Ownership.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
namespace {
using Flag = dataflow::Lattice<dataflow::ConstantValue>;

bool isFalse(const Flag &flag) {
  auto constant =
      flag.getValue().isUninitialized() ? BoolAttr() : dyn_cast_or_null<BoolAttr>(flag.getValue().getConstantValue());
  return constant && !constant.getValue();
}

/// Constant propagation that knows bufferization.dealloc: who owned nothing before owns nothing afterwards.
struct FalseOwnerships : dataflow::SparseConstantPropagation {
  using SparseConstantPropagation::SparseConstantPropagation;

  LogicalResult visitOperation(Operation *op, ArrayRef<const Flag *> operands, ArrayRef<Flag *> results) override {
    auto dealloc = dyn_cast<bufferization::DeallocOp>(op);
    if (!dealloc)
      return SparseConstantPropagation::visitOperation(op, operands, results);
    ArrayRef<const Flag *> owned = operands.slice(dealloc.getMemrefs().size(), dealloc.getConditions().size());
    if (llvm::any_of(owned, [](const Flag *flag) { return flag->getValue().isUninitialized(); }))
      return success(); // Not yet known to be reached.
    if (!llvm::all_of(owned, [](const Flag *flag) { return isFalse(*flag); })) {
      setAllToEntryStates(results);
      return success();
    }
    dataflow::ConstantValue no(BoolAttr::get(op->getContext(), false), op->getDialect());
    for (Flag *result : results)
      propagateIfChanged(result, result->join(no));
    return success();
  }
};
} // namespace

LogicalResult dropFalseOwnerships(func::FuncOp function) {
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<FalseOwnerships>();
  if (failed(solver.initializeAndRun(function)))
    return failure();
  function.walk([&](bufferization::DeallocOp dealloc) {
    OpBuilder b(dealloc);
    for (OpOperand &condition : dealloc.getConditionsMutable())
      if (const auto *flag = solver.lookupState<Flag>(condition.get()); flag && isFalse(*flag))
        condition.set(arith::ConstantOp::create(b, dealloc.getLoc(), b.getBoolAttr(false)));
  });
  return success();
}

void putListsOnStack(ModuleOp module) {
  llvm::SetVector<memref::AllocOp> lists;
  module.walk([&](func::CallOp call) {
    if (!call.getCallee().starts_with("dealloc_helper"))
      return;
    for (Value operand : call.getOperands())
      if (auto cast = operand.getDefiningOp<memref::CastOp>())
        if (auto alloc = cast.getSource().getDefiningOp<memref::AllocOp>())
          lists.insert(alloc);
  });
  for (memref::AllocOp alloc : lists) {
    Region *whole = alloc->getParentRegion(); // Of the function, or of what several threads run.
    while (!isa<func::FuncOp>(whole->getParentOp()) && !whole->getParentOp()->hasTrait<OpTrait::HasParallelRegion>())
      whole = whole->getParentRegion();
    OpBuilder b = OpBuilder::atBlockBegin(&whole->front());
    auto list = memref::AllocaOp::create(b, alloc.getLoc(), alloc.getType(), alloc.getAlignmentAttr());
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    alloc.replaceAllUsesWith(list.getResult());
    alloc.erase();
  }
}
} // namespace lispier
