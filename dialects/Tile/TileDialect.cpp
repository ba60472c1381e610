//===- TileDialect.cpp - the tile dialect ---------------------------------===//
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "lispier/Tile/TileDialect.cpp.inc"
#include "lispier/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Tile/TileAttributes.cpp.inc"

namespace lispier::tile {
namespace {
/// Layouts are long: they are printed before the module, and named in it.
struct NamesOfLayouts : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<NamesOfLayouts>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/Tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/Tile/TileOps.cpp.inc"
      >();
}

LogicalResult ProgramAttr::verify(llvm::function_ref<InFlightDiagnostic()> error, int64_t warps, int64_t stages, bool) {
  if (warps < 1 || warps > 32 || !llvm::isPowerOf2_64(warps))
    return error() << "a block has 1, 2, 4, 8, 16 or 32 warps, not " << warps;
  if (stages < 1)
    return error() << "a loop has at least one stage, not " << stages;
  return success();
}

ProgramAttr programOf(gpu::GPUFuncOp kernel) { return kernel->getAttrOfType<ProgramAttr>(kProgram); }

Precision precisionOf(Operation *product) {
  auto precision = product->getAttrOfType<PrecisionAttr>(kPrecision);
  return precision ? precision.getValue() : Precision::F32;
}

namespace {
LogicalResult checkProgram(Operation *op, Attribute value) {
  auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
  if (!kernel || !kernel.isKernel() || !isa<ProgramAttr>(value))
    return op->emitOpError(kProgram) << " is a #tile.program, on a kernel";
  return success();
}

LogicalResult checkLayout(Operation *op, Attribute value) {
  if (auto many = dyn_cast<ArrayAttr>(value))
    return (op->getNumRegions() || op->getNumResults() > 1) &&
                   llvm::all_of(many, [](Attribute each) { return isa<LayoutAttr, UnitAttr>(each); })
               ? success()
               : LogicalResult(op->emitOpError(kLayout)
                               << " is an array for an op with regions or several results, of layouts and `unit`");
  auto layout = dyn_cast<LayoutAttr>(value);
  auto tile = op->getNumResults() == 1 ? dyn_cast<VectorType>(op->getResult(0).getType()) : VectorType();
  if (!layout || !tile)
    return op->emitOpError(kLayout) << " is a #tile.layout, on an op with one result, a tile";
  std::string mistake = layout.layoutOf(tile.getShape()).mistake();
  return mistake.empty() ? success() : LogicalResult(op->emitOpError("has a layout that ") << mistake);
}

LogicalResult checkVector(Operation *op, Attribute value) {
  auto size = dyn_cast<IntegerAttr>(value);
  if (!isa<VectorTransferOpInterface>(op) || !size || !llvm::isPowerOf2_64(size.getInt()))
    return op->emitOpError(kVector) << " is a power of two, on a transfer";
  return success();
}

LogicalResult checkPrecision(Operation *op, Attribute value) {
  // A product of tensors has it until it is one of tiles.
  auto product = dyn_cast<vector::ContractionOp>(op);
  bool isProduct = product ? getElementTypeOrSelf(product.getLhsType()).isF32() : isa<linalg::LinalgOp>(op);
  if (!isProduct || !isa<PrecisionAttr>(value))
    return op->emitOpError(kPrecision)
           << " is a #tile.precision, on a vector.contract with factors of f32 or a linalg op";
  return success();
}
} // namespace

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kProgram)
    return checkProgram(op, attribute.getValue());
  if (attribute.getName() == kLayout)
    return checkLayout(op, attribute.getValue());
  if (attribute.getName() == kVector)
    return checkVector(op, attribute.getValue());
  if (attribute.getName() == kPrecision)
    return checkPrecision(op, attribute.getValue());
  if (attribute.getName() == kReverse)
    return isa<vector::ScanOp>(op) && isa<UnitAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitOpError(kReverse) << " is a unit attribute of a vector.scan");
  if (attribute.getName() == kKeepsRows)
    return isa<gpu::GPUFuncOp>(op) && isa<UnitAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitOpError(kKeepsRows) << " is a unit attribute of a kernel");
  if (llvm::is_contained({kRingAllowed, kAlignedAlone}, attribute.getName()))
    return isa<FunctionOpInterface>(op) && isa<UnitAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitOpError(attribute.getName().strref()) << " is a unit attribute of a function");
  if (llvm::is_contained({kDistributed, kUniform, kConsumers, kWarpgroup, kInFlight, kToSlot}, attribute.getName()))
    return success();
  return op->emitOpError("the tile dialect has no attribute `") << attribute.getName().getValue() << "`";
}
} // namespace lispier::tile
