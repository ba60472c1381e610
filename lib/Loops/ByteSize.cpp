//===- ByteSize.cpp - sizes of types in memory ----------------------------===//
#include "lispier/Loops/ByteSize.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
int64_t byteSize(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * byteSize(vector.getElementType());
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * byteSize(complex.getElementType());
  if (auto memref = dyn_cast<MemRefType>(type)) // Two pointers, the offset, sizes and strides.
    return 8 * (3 + 2 * memref.getRank());
  if (isa<UnrankedMemRefType>(type)) // The rank and a pointer to a descriptor.
    return 16;
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return type.isIndex() ? 8 : isa<DataLayoutTypeInterface>(type) ? DataLayout().getTypeSize(type).getFixedValue() : 0;
}

bool isContiguous(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, expected = 1;
  if (type.getLayout().isIdentity())
    return true;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    if (strides[i] != expected && type.getDimSize(i) != 1)
      return false;
    if (type.isDynamicDim(i) && i > 0)
      return false;
    expected *= type.getDimSize(i);
  }
  return true;
}
} // namespace lispier
