//===- ByteSize.cpp - how many bytes a value takes in memory --------------===//
#include "lispier/Loops/ByteSize.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
int64_t byteSize(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * byteSize(vector.getElementType());
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * byteSize(complex.getElementType());
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}
} // namespace lispier
