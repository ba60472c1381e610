//===- Kernels.cpp - the templates that a program's ops may use -----------===//
#include "State.h"
#include "lispier/NN/Templates.h"
#include "lispier/Prelude/Kernels.h"
#include "lispier/Session/Session.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include <set>

using namespace llvm;

namespace lispier {
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

/// Templates of other ops in the same file are left out: they would only be generated to be erased.
void keepTemplatesOf(ArrayRef<StringRef> ops, Program &program) {
  erase_if(program.forms, [&](const Form *form) {
    return form->isCall("deftemplate") && !is_contained(ops, (*form)[1]->text());
  });
}
} // namespace

bool Session::addKernels(Generated &program, const PipelineOptions &pipeline) {
  bool runsKernels = pipeline.gpu || pipeline.checkKernels;
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
    if (!addKernels(program, ops, runsKernels))
      return false;
  }
}

bool Session::addKernels(Generated &program, ArrayRef<StringRef> ops, bool runsKernels) {
  std::vector<StringRef> files = kernelFilesFor(ops, runsKernels);
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
  keepTemplatesOf(ops, forms);
  Generated kernels = generate(forms, state->context, state->diags);
  if (diags().hasErrors() || !kernels.module || mlir::failed(mlir::verify(*kernels.module)))
    return false;
  for (auto module : kernels.module->getOps<mlir::gpu::GPUModuleOp>())
    module->setAttr(nn::kTemplateKernels, mlir::UnitAttr::get(&state->context));
  append(*program.module, *kernels.module);
  return true;
}
} // namespace lispier
