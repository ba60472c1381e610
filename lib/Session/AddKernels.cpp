//===- AddKernels.cpp - add kernel implementations to a program -----------===//
#include "State.h"
#include "lispier/NN/TemplateAttributes.h"
#include "lispier/Session/Session.h"
#include "lispier/Tensor/KernelChoice.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <mutex>

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

/// Maps the index of an implementation to the function generated for it.
using Generation = DenseMap<unsigned, mlir::func::FuncOp>;

/// Heads of the implementations of these ops that were not generated, in order, so that lispier-select-templates can
/// print why they were not selected.
void declareOthers(mlir::ModuleOp program, ArrayRef<kernels::Implementation> index, ArrayRef<std::string> ops,
                   const Generation &generated) {
  mlir::OpBuilder builder(program.getContext());
  for (const std::string &op : ops) {
    builder.setInsertionPointToEnd(program.getBody());
    for (unsigned i = index.size(); i-- > 0;) {
      if (index[i].op != op)
        continue;
      mlir::func::FuncOp function = generated.lookup(i);
      if (!function)
        function = kernels::declare(index[i], builder, (nn::kTemplatePrefix + op + "_head_" + Twine(i)).str());
      builder.setInsertionPoint(function);
    }
  }
}
} // namespace

/// The library of kernel implementations, which is read when it is first needed.
KernelLibrary &Session::kernelLibrary() {
  if (!state->kernels)
    state->kernels = std::make_unique<KernelLibrary>(state->context, state->arena, diags(), state->dialects);
  return *state->kernels;
}

std::shared_ptr<const KernelChoice> Session::kernelChoice(const PipelineOptions &pipeline) {
  KernelTarget target = pipeline.kernelTarget();
  bool onGpu = target.name == "gpu";
  if (!state->options.templates)
    return std::make_shared<KernelChoice>(KernelChoice{[](const kernels::Request &) { return false; }, onGpu});
  auto lock = std::make_shared<std::mutex>(); // Functions are matched in parallel.
  auto fits = [this, target, lock](const kernels::Request &request) {
    std::lock_guard guard(*lock);
    return any_of(kernelLibrary().index(), [&](const kernels::Implementation &implementation) {
      return !kernels::reasonAgainst(implementation, request, {target.name, target.abilities});
    });
  };
  return std::make_shared<KernelChoice>(KernelChoice{fits, onGpu, llvm::is_contained(target.abilities, "wgmma")});
}

bool Session::addKernels(Generated &program, const PipelineOptions &pipeline) {
  for (const std::string &op : pipeline.whyKernels)
    if (!mlir::RegisteredOperationName::lookup(op, &state->context)) {
      std::vector<std::string> known;
      for (mlir::RegisteredOperationName name : state->context.getRegisteredOperations())
        known.push_back(name.getStringRef().str());
      diags()
          .error("op-unknown", SMRange(), "there is no op `" + op + "` to have a kernel")
          .withHint(didYouMean(op, known));
      return false;
    }
  KernelTarget target = pipeline.kernelTarget();
  Generation generated;
  // Repeat until no new implementation is added, since implementations use nn ops themselves.
  for (std::vector<kernels::Request> requests = kernels::requestsIn(*program.module); !requests.empty();
       requests = kernels::requestsIn(*program.module)) {
    KernelLibrary &library = kernelLibrary();
    if (diags().hasErrors())
      return false;
    BitVector chosen = kernels::usable(library.index(), requests, {target.name, target.abilities});
    for (auto [i, function] : generated)
      chosen.reset(i);
    if (chosen.none())
      break;
    mlir::TimingScope timing = state->begin("kernels", Twine(chosen.count()) + " implementations");
    Generated kernels = generate(library.expand(chosen, target), state->context, state->diags);
    if (diags().hasErrors() || !kernels.module || mlir::failed(mlir::verify(*kernels.module)))
      return false;
    for (auto module : kernels.module->getOps<mlir::gpu::GPUModuleOp>())
      module->setAttr(nn::kTemplateKernels, mlir::UnitAttr::get(&state->context));
    auto functions = make_filter_range(kernels.module->getOps<mlir::func::FuncOp>(),
                                       [](mlir::func::FuncOp function) { return function->hasAttr(nn::kTemplate); });
    for (auto [i, function] : zip(chosen.set_bits(), functions))
      generated[i] = function;
    append(*program.module, *kernels.module);
  }
  if (state->kernels)
    declareOthers(*program.module, state->kernels->index(), pipeline.whyKernels, generated);
  return true;
}
} // namespace lispier
