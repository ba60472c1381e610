//===- TileDialect.cpp - the tile dialect ---------------------------------===//
#include "lispier/Tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "lispier/Tile/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Tile/TileAttributes.cpp.inc"

namespace lispier::tile {
void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/Tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/Tile/TileOps.cpp.inc"
      >();
}

LogicalResult ProgramAttr::verify(llvm::function_ref<InFlightDiagnostic()> error, int64_t warps, int64_t stages) {
  if (warps < 1 || warps > 32 || !llvm::isPowerOf2_64(warps))
    return error() << "a block has 1, 2, 4, 8, 16 or 32 warps, not " << warps;
  if (stages < 1)
    return error() << "a loop has at least one stage, not " << stages;
  return success();
}

ProgramAttr programOf(gpu::GPUFuncOp kernel) { return kernel->getAttrOfType<ProgramAttr>(kProgram); }

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kProgram)
    return op->emitOpError("the tile dialect has no attribute `") << attribute.getName().getValue() << "`";
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  if (!kernel || !kernel.isKernel() || !isa<ProgramAttr>(attribute.getValue()))
    return op->emitOpError(kProgram) << " is a #tile.program, on a kernel";
  return success();
}
} // namespace lispier::tile
