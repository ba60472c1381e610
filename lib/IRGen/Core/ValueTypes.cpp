//===- ValueTypes.cpp - kinds of values, and their names in messages ------===//
#include "ValueTypes.h"
#include "RecordTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace llvm;

namespace lispier {
bool isTensor(mlir::Type type) {
  auto ranked = dyn_cast_if_present<mlir::RankedTensorType>(type);
  return ranked && ranked.getElementType().isIntOrIndexOrFloat();
}

bool isTile(mlir::Type type) {
  auto vector = dyn_cast_if_present<mlir::VectorType>(type);
  return vector && vector.getRank() > 0 && !vector.isScalable();
}

ArrayRef<int64_t> shapeOf(mlir::Value value) {
  auto vector = dyn_cast<mlir::VectorType>(value.getType());
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() == 1 ? "" : " ") + (mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text + "]";
}

std::string typeText(mlir::Type type) {
  if (auto record = dyn_cast<RecordType>(type))
    return (record.lists() ? "a list of " : "a ") + record.record().str();
  if (!isTile(type) && !isTensor(type))
    return mlir::debugString(type);
  auto shaped = cast<mlir::ShapedType>(type);
  return mlir::debugString(shaped.getElementType()) + " " + shapeText(shaped.getShape());
}
} // namespace lispier
