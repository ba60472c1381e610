//===- RegisterDialects.cpp - dialects of the full tool -------------------===//
//
// In its own file, like registerPasses, so that a tool with fewer dialects can
// define the function itself and link without this one.
//
//===----------------------------------------------------------------------===//
#include "lispier/Buffers/EqualSlices.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Tile/Tile.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace lispier {
void registerDialects(mlir::DialectRegistry &registry) {
  registerEqualSlices(registry); // Before upstream's.
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<comm::CommDialect, grad::GradDialect, group::GroupDialect, nn::NNDialect, tile::TileDialect>();
  registerTargets(registry);
}
} // namespace lispier
