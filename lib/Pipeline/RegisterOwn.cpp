//===- RegisterOwn.cpp - registration of this project's passes ------------===//
#include "lispier/Buffers/Passes.h"
#include "lispier/Device/Passes.h"
#include "lispier/Differentiate/Passes.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Math/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Pipeline/Passes.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Target/Backend/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Host/Passes.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tiles/Passes.h"

namespace lispier {
void registerOwnPasses() {
  registerLispierDevicePasses();
  registerLispierNNPasses();
  registerLispierBuffersPasses();
  registerLispierTensorPasses();
  registerLispierDifferentiatePasses();
  registerLispierSchedulePasses();
  registerLispierKernelsPasses();
  registerLispierMathPasses();
  registerLispierLoopsPasses();
  registerLispierTilesPasses();
  registerLispierGpuPasses();
  registerLispierTargetCpuPasses();
  registerLispierTargetSimPasses();
  registerLispierTargetBackendPasses();
  registerLispierTargetAmdPasses();
  registerLispierTargetNvidiaPasses();
  registerLispierTargetHostPasses();
  registerLispierPipelinePasses();
  registerPipelines();
}
} // namespace lispier
