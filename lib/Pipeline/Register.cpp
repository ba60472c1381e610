//===- Register.cpp - the names of all passes -----------------------------===//
//
// Alone in its file: a tool that defines the function itself, with fewer passes,
// is linked without this one.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "mlir/InitAllPasses.h"

namespace lispier {
void registerPasses() {
  mlir::registerAllPasses();
  registerOwnPasses();
}
} // namespace lispier
