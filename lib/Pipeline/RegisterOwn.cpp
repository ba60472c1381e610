//===- RegisterOwn.cpp - the names of our passes --------------------------===//
#include "lispier/Loops/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Gpu/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/Tensor/Passes.h"

namespace lispier {
void registerOwnPasses() {
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
