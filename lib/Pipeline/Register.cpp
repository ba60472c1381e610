//===- Register.cpp - registration of all passes --------------------------===//
//
// In a file of its own, so that a tool can define registerPasses with fewer passes
// and link without this one.
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
