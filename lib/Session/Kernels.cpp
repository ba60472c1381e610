//===- Kernels.cpp - the templates that a program's ops may use -----------===//
#include "State.h"
#include "lispier/Kernels/KernelFiles.h"
#include "lispier/NN/Templates.h"
#include "lispier/Session/Session.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace lispier {
/// What templates are chosen by.
struct KernelTarget {
  StringRef name; ///< "cpu" or "gpu".
  ArrayRef<std::string> features;
};

namespace {
bool isDeclaration(mlir::Operation *op) {
  auto symbol = dyn_cast_or_null<mlir::SymbolOpInterface>(op);
  return symbol && symbol.isDeclaration();
}

/// After the program's own functions: its templates come first.
void append(mlir::ModuleOp program, mlir::ModuleOp kernels) {
  mlir::SymbolTable names(program), kernelNames(kernels);
  for (mlir::Operation &op : make_early_inc_range(*kernels.getBody())) {
    if (!isa<mlir::SymbolOpInterface>(op))
      continue;
    mlir::Operation *known = names.lookup(mlir::SymbolTable::getSymbolName(&op).getValue());
    if (isDeclaration(known) && isDeclaration(&op))
      kernelNames.erase(&op); // The runtime's, and both mean the same.
    else if (known)
      (void)kernelNames.renameToUnique(&op, {&names});
  }
  for (mlir::Operation &op : make_early_inc_range(*kernels.getBody()))
    op.moveBefore(program.getBody(), program.getBody()->end());
}

/// A word of a template's `:for` is the target's, and asks for no more than that has.
bool isFor(const KernelTarget &target, const Form *form) {
  const Form *words = (*form)[2]->get("for");
  if (!words || !words->isVector())
    return true; // Wrong, or for all: generating it will say.
  return any_of(words->items(),
                [&](const Form *word) { return nn::serves(word->text(), target.name, target.features); });
}

/// The body has an op of this name: the template leaves it to those after itself.
bool contains(const Form *form, StringRef op) {
  return form->isCall(op) || any_of(form->items(), [&](const Form *item) { return contains(item, op); });
}

/// Templates that would only be generated to be erased: of other ops, for other targets, and those behind one that
/// takes the same operands.
void keepTemplatesFor(ArrayRef<StringRef> ops, const KernelTarget &target, Program &program) {
  std::set<std::string> taken;
  erase_if(program.forms, [&](const Form *form) {
    if (!form->isCall("deftemplate"))
      return false;
    StringRef op = (*form)[1]->text();
    if (!is_contained(ops, op) || !isFor(target, form))
      return true;
    std::string operands;
    raw_string_ostream os(operands);
    os << op;
    (*form)[3]->print(os);
    if (taken.contains(operands))
      return true;
    if (none_of(form->items().drop_front(4), [&](const Form *item) { return contains(item, op); }))
      taken.insert(operands);
    return false;
  });
}
} // namespace

bool Session::addKernels(Generated &program, const PipelineOptions &pipeline) {
  std::vector<std::string> capabilities = pipeline.target.capabilities();
  bool runsKernels = pipeline.target.gpu || pipeline.target.checkKernels;
  KernelTarget target{runsKernels ? "gpu" : "cpu", runsKernels ? capabilities : pipeline.cpuFeatures};
  std::set<std::string> seen;
  // A template may use ops itself, so this repeats until there is no new one.
  for (;;) {
    std::vector<std::string> names = nn::opsIn(*program.module);
    std::vector<StringRef> ops;
    for (const std::string &name : names)
      if (auto [known, isNew] = seen.insert(name); isNew)
        ops.push_back(*known);
    if (ops.empty())
      return true;
    if (!addKernels(program, ops, target))
      return false;
  }
}

bool Session::addKernels(Generated &program, ArrayRef<StringRef> ops, const KernelTarget &target) {
  std::vector<StringRef> files = kernelFilesFor(ops, /*forGpu=*/target.name == "gpu");
  if (files.empty())
    return true;
  mlir::TimingScope timing = state->begin("kernels", join(files, ", "));
  std::string text;
  for (StringRef file : files)
    text += ("(require [\"" + kKernelFolder + file + "\" :as " + file.split('.').first + "])\n").str();
  KernelFiles loader;
  ExpandContext context{state->arena, state->diags, loader, &state->dialects, nullptr};
  Program forms = expand(addText("kernels", text), context);
  if (diags().hasErrors())
    return false;
  keepTemplatesFor(ops, target, forms);
  Generated kernels = generate(forms, state->context, state->diags);
  if (diags().hasErrors() || !kernels.module || mlir::failed(mlir::verify(*kernels.module)))
    return false;
  for (auto module : kernels.module->getOps<mlir::gpu::GPUModuleOp>())
    module->setAttr(nn::kTemplateKernels, mlir::UnitAttr::get(&state->context));
  append(*program.module, *kernels.module);
  return true;
}
} // namespace lispier
