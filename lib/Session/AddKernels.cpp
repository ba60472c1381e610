//===- AddKernels.cpp - add kernel implementations to a program -----------===//
#include "State.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/TemplateAttributes.h"
#include "lispier/Session/Session.h"
#include "lispier/Tensor/Kernels/KernelChoice.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

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

namespace {
/// The implementations of a program and, after them, of the library, as selection considers them.
std::vector<kernels::Implementation> indexOf(mlir::ModuleOp program, KernelLibrary &library) {
  std::vector<kernels::Implementation> heads;
  for (auto function : program.getOps<mlir::func::FuncOp>())
    if (function->hasAttr(nn::kTemplate) && !function.isDeclaration())
      heads.push_back(kernels::headOf(function));
  append_range(heads, library.index());
  return heads;
}

/// A place in the user's source of one of the ops that a group has.
mlir::Location placeOfGroup(mlir::Operation *group) {
  auto call = group->getLoc()->findInstanceOf<mlir::CallSiteLoc>();
  return kernels::outermost(call ? mlir::Location(call) : group->getLoc());
}

/// Emits a remark at the group: which implementation it has instead of a generated kernel, and for each other one the
/// first reason against it.
void explain(mlir::Operation *group, const kernels::Request &request, const kernels::Machine &machine,
             ArrayRef<kernels::Implementation> index, const kernels::Implementation *chosen) {
  auto kernel = dyn_cast<group::KernelOp>(group);
  auto name = kernel ? kernel.getNameAttr() : group->getAttrOfType<mlir::StringAttr>("group.kernel");
  mlir::InFlightDiagnostic remark = mlir::emitRemark(placeOfGroup(group));
  remark << "kernel " << (name ? name.getValue() : "") << ", of the kind `" << nn::describe(*request.group).name
         << "`, " << (chosen ? "is hand-written: one of " : "is generated: none of ")
         << count_if(index, [&](auto &each) { return each.op == request.op; }) << " implementations of " << request.op;
  for (const kernels::Implementation &each : index) {
    if (each.op != request.op)
      continue;
    std::optional<std::string> reason = kernels::reasonAgainst(each, request, machine);
    remark.attachNote(kernels::outermost(each.place)) << (&each == chosen ? "this one is taken"
                                                          : reason        ? *reason
                                                                          : "another is taken before it");
  }
}
} // namespace

std::shared_ptr<const KernelChoice> Session::kernelChoice(const PipelineOptions &pipeline) {
  KernelTarget target = pipeline.kernelTarget();
  auto choice = std::make_shared<KernelChoice>();
  choice->multiprocessors = pipeline.gpuInfo() ? pipeline.gpuInfo()->multiprocessors : 0;
  if (!state->options.templates) {
    choice->has = [](const kernels::Request &, mlir::Operation *) { return false; };
    choice->wideProduct = [] { return int64_t(0); };
    return choice;
  }
  // Made for the first group that needs it. The matching is one pass on the module: there is one thread.
  auto index = std::make_shared<std::optional<std::vector<kernels::Implementation>>>();
  choice->has = [this, index, target, explained = pipeline.whyKernels](const kernels::Request &request,
                                                                       mlir::Operation *group) {
    if (!*index)
      *index = indexOf(group->getParentOfType<mlir::ModuleOp>(), kernelLibrary());
    kernels::Machine machine{target.name, target.abilities};
    const kernels::Implementation *chosen = kernels::choose(**index, request, machine);
    if (is_contained(explained, request.op))
      explain(group, request, machine, **index, chosen);
    return chosen != nullptr;
  };
  choice->wideProduct = [this, target] {
    std::vector<int64_t> tiles = kernelLibrary().tuning(target, "wide-product"),
                         multiprocessors = kernelLibrary().tuning(target, "multiprocessors");
    return tiles.size() == 3 && multiprocessors.size() == 1 ? tiles[0] * tiles[1] * tiles[2] * multiprocessors[0] : 0;
  };
  if (state->options.printPipeline || !state->options.reproducer.empty())
    for (const nn::GroupKindName &kind : nn::kGroupKinds)
      if (any_of(kernelLibrary().index(), [&](const kernels::Implementation &each) {
            return is_contained(each.groups, *nn::groupKindOf(kind.name)) &&
                   !kernels::reasonAgainst(each, {target.name, target.abilities});
          }))
        choice->groups.push_back(kind.name.str());
  return choice;
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
