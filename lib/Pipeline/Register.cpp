//===- Register.cpp - the names of all passes -----------------------------===//
#include "lispier/Loops/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Gpu/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/InitAllPasses.h"

namespace lispier {
void registerPasses() {
  mlir::registerAllPasses();
  registerLispierNNPasses();
  registerLispierTensorPasses();
  registerLispierLoopsPasses();
  registerLispierTargetCpuPasses();
  registerLispierTargetSimPasses();
  registerLispierTargetAmdPasses();
  registerLispierTargetGpuPasses();
  registerGpuPipelines();
}
} // namespace lispier
