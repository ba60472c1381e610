//===- Dialects.cpp - what a program may name -----------------------------===//
//
// Alone in its file, as registerPasses is: a tool that defines the function
// itself, with fewer dialects, is linked without this one.
//
//===----------------------------------------------------------------------===//
#include "lispier/NN/NN.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Host/Gpu.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace lispier {
void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<nn::NNDialect>();
  registerTargets(registry);
}
} // namespace lispier
