//===- Kernels.cpp - the templates that a program's ops may use -----------===//
#include "State.h"
#include "lispier/NN/NN.h"
#include "lispier/Prelude/Kernels.h"
#include "lispier/Session/Session.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;

namespace lispier {
namespace {
std::vector<StringRef> nnOps(mlir::ModuleOp module) {
  SetVector<StringRef> names;
  module.walk([&](mlir::Operation *op) {
    if (isa_and_nonnull<nn::NNDialect>(op->getDialect()))
      names.insert(op->getName().getStringRef());
  });
  return {names.begin(), names.end()};
}

/// After the program's own functions: its templates come first.
void append(mlir::ModuleOp program, mlir::ModuleOp kernels) {
  mlir::SymbolTable names(program), kernelNames(kernels);
  for (mlir::Operation &op : *kernels.getBody())
    if (isa<mlir::SymbolOpInterface>(op) && names.lookup(mlir::SymbolTable::getSymbolName(&op).getValue()))
      (void)kernelNames.renameToUnique(&op, {&names});
  for (mlir::Operation &op : make_early_inc_range(*kernels.getBody()))
    op.moveBefore(program.getBody(), program.getBody()->end());
}
} // namespace

bool Session::addKernels(Generated &program) {
  std::vector<StringRef> files = kernelFilesFor(nnOps(*program.module));
  if (files.empty())
    return true;
  mlir::TimingScope timing = state->total.nest("kernels");
  std::string text;
  for (StringRef file : files)
    text += ("(require [\"" + kKernelFolder + file + "\" :as " + file.split('.').first + "])\n").str();
  KernelFiles loader;
  ExpandContext context{state->arena, state->diags, loader, &state->dialects, nullptr};
  Program forms = expand(addText("kernels", text), context);
  if (diags().hasErrors())
    return false;
  Generated kernels = generate(forms, state->context, state->diags);
  if (diags().hasErrors() || !kernels.module || mlir::failed(mlir::verify(*kernels.module)))
    return false;
  append(*program.module, *kernels.module);
  return true;
}
} // namespace lispier
