//===- MemoryExtent.cpp - where a memref lies, at run time ----------------===//
#include "lispier/Loops/MemoryExtent.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier {
MemoryExtent extentOf(OpBuilder &b, Location loc, Value memory) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memory);
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  Value size = arith::ConstantIndexOp::create(b, loc, byteSize(cast<MemRefType>(memory.getType()).getElementType()));
  Value one = arith::ConstantIndexOp::create(b, loc, 1), length = one;
  for (auto [count, stride] : llvm::zip(metadata.getSizes(), metadata.getStrides())) {
    Value last = arith::SubIOp::create(b, loc, count, one);
    length = arith::AddIOp::create(b, loc, length, arith::MulIOp::create(b, loc, last, stride));
  }
  Value start = arith::AddIOp::create(b, loc, pointer, arith::MulIOp::create(b, loc, metadata.getOffset(), size));
  Value end = arith::AddIOp::create(b, loc, start, arith::MulIOp::create(b, loc, length, size));
  return {start, end, metadata.getStrides()};
}

Value doNotOverlap(OpBuilder &b, Location loc, const MemoryExtent &one, const MemoryExtent &other) {
  auto endsBefore = [&](const MemoryExtent &first, const MemoryExtent &second) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, first.end, second.start);
  };
  Value before = endsBefore(one, other), after = endsBefore(other, one);
  return arith::OrIOp::create(b, loc, before, after);
}
} // namespace lispier
