//===- lispier-opt.cpp - mlir-opt with Lispier's dialects and passes ------===//
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Session/Session.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  lispier::registerDialects(registry);
  lispier::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Lispier's optimizer driver\n", registry));
}
