//===- AddKernels.cpp - add kernel implementations to a program -----------===//
//
// Before: nn ops. After: the same, and the functions and GPU modules of those
// implementations of the library that they may use. lispier-select-templates then
// selects one for each op, and erases the others.
//
//===----------------------------------------------------------------------===//
#include "lispier/Kernels/KernelSource.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace lispier {
#define GEN_PASS_DEF_ADDKERNELS
#include "lispier/Kernels/Passes.h.inc"
} // namespace lispier

using namespace llvm;

namespace lispier {
namespace {
bool isDeclaration(mlir::Operation *op) {
  auto symbol = dyn_cast_or_null<mlir::SymbolOpInterface>(op);
  return symbol && symbol.isDeclaration();
}

/// Appends the kernels after the program's own functions, so that its own implementations are selected first.
void append(mlir::ModuleOp program, mlir::ModuleOp kernels) {
  mlir::SymbolTable names(program), kernelNames(kernels);
  for (mlir::Operation &op : make_early_inc_range(*kernels.getBody())) {
    if (!isa<mlir::SymbolOpInterface>(op))
      continue;
    mlir::Operation *known = names.lookup(mlir::SymbolTable::getSymbolName(&op).getValue());
    if (isDeclaration(known) && isDeclaration(&op))
      kernelNames.erase(&op); // A runtime function, which both modules declare.
    else if (known)
      (void)kernelNames.renameToUnique(&op, {&names});
  }
  for (mlir::Operation &op : make_early_inc_range(*kernels.getBody()))
    op.moveBefore(program.getBody(), program.getBody()->end());
  if (auto container = kernels->getAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName()))
    program->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), container);
}

/// Maps the index of an implementation to its function.
using AddedKernels = DenseMap<unsigned, mlir::func::FuncOp>;

/// Heads of the implementations of these ops that were not added, in order, so that lispier-select-templates can
/// print why they were not selected.
void declareOthers(mlir::ModuleOp program, ArrayRef<kernels::Implementation> index, ArrayRef<std::string> ops,
                   const AddedKernels &added) {
  mlir::OpBuilder builder(program.getContext());
  for (const std::string &op : ops) {
    builder.setInsertionPointToEnd(program.getBody());
    for (unsigned i = index.size(); i-- > 0;) {
      if (index[i].op != op)
        continue;
      mlir::func::FuncOp function = added.lookup(i);
      if (!function)
        function = kernels::declare(index[i], builder, (nn::kTemplatePrefix + op + "_head_" + Twine(i)).str());
      builder.setInsertionPoint(function);
    }
  }
}

struct AddKernels : impl::AddKernelsBase<AddKernels> {
  using AddKernelsBase::AddKernelsBase;
  AddKernels(const AddKernelsOptions &options, std::shared_ptr<KernelSource> source)
      : AddKernelsBase(options), source(std::move(source)) {}

  void runOnOperation() override {
    if (source && failed(add(getOperation())))
      signalPassFailure();
  }

  mlir::LogicalResult add(mlir::ModuleOp program) {
    AddedKernels added;
    // Repeat until no new implementation is added, since implementations use nn ops themselves.
    for (std::vector<kernels::Request> requests = kernels::requestsIn(program); !requests.empty();
         requests = kernels::requestsIn(program)) {
      BitVector chosen = kernels::usable(source->heads(), requests, source->machine());
      for (auto [i, function] : added)
        chosen.reset(i);
      if (chosen.none())
        break;
      mlir::OwningOpRef<mlir::ModuleOp> bodies = source->bodies(chosen);
      if (!bodies)
        return mlir::failure();
      auto functions = make_filter_range(bodies->getOps<mlir::func::FuncOp>(),
                                         [](mlir::func::FuncOp function) { return function->hasAttr(nn::kTemplate); });
      for (auto [i, function] : zip(chosen.set_bits(), functions))
        added[i] = function;
      append(program, *bodies);
    }
    if (!why.empty())
      declareOthers(program, source->heads(), why, added);
    return mlir::success();
  }

  std::shared_ptr<KernelSource> source; ///< Null: there are no implementations but the program's.
};
} // namespace

std::unique_ptr<mlir::Pass> createAddKernels(const AddKernelsOptions &options, std::shared_ptr<KernelSource> source) {
  return std::make_unique<AddKernels>(options, std::move(source));
}
} // namespace lispier
