//===- Pipeline.cpp - every pass, in order --------------------------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Loops/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "mlir/InitAllPasses.h"

namespace lispier {
void registerPasses() {
  mlir::registerAllPasses();
  registerLispierNNPasses();
  registerLispierLoopsPasses();
  registerLispierTargetSimPasses();
}
} // namespace lispier
