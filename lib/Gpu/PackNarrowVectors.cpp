//===- PackNarrowVectors.cpp - 16-bit vectors in words --------------------===//
//
// Before: loops and branches pass on vectors of 16-bit floats, which become as many
// 16-bit registers: the assembler moves each of them into and out of the registers
// of 32 bits that loads and conversions have. After: they pass on words of 32 bits,
// if these come from loads. A BF16 vector that comes from memory or from such words,
// or is rounded by pairs of numbers, is widened by a shift and a mask of each word,
// one instruction an element.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PACKNARROWVECTORS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Words with the bits of a vector of 16-bit floats; null for other types.
VectorType wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() || vector.getNumElements() % 2 ||
      !isa<FloatType>(vector.getElementType()) || vector.getElementTypeBitWidth() != 16)
    return nullptr;
  return VectorType::get(vector.getNumElements() / 2, IntegerType::get(type.getContext(), 32));
}

/// Whether registers have the vector's bits as words: neighbours are from one load, it was made of words, or is
/// constant.
bool isInWords(Value floats) {
  Operation *made = floats.getDefiningOp();
  auto isWhole = [](Operation *op) { return isa_and_nonnull<vector::LoadOp, vector::BitCastOp>(op); };
  if (isWhole(made) || matchPattern(floats, m_Constant()))
    return true;
  auto elements = dyn_cast_or_null<vector::FromElementsOp>(made);
  auto partOfWhole = [&](Value element) {
    auto parts = element.getDefiningOp<vector::ToElementsOp>();
    return parts && isWhole(parts.getSource().getDefiningOp()) ? dyn_cast<OpResult>(element) : OpResult();
  };
  for (unsigned i = 0; elements && i < elements.getElements().size(); i += 2) {
    OpResult low = partOfWhole(elements.getElements()[i]), high = partOfWhole(elements.getElements()[i + 1]);
    if (!low || !high || low.getOwner() != high.getOwner() || low.getResultNumber() % 2 ||
        high.getResultNumber() != low.getResultNumber() + 1)
      return false;
  }
  return bool(elements);
}

/// The operand passes on the words of its value.
void passWords(OpOperand &source, VectorType words) {
  OpBuilder b(source.getOwner());
  source.set(vector::BitCastOp::create(b, source.get().getLoc(), words, source.get()));
}

/// What arrives are words; users have the floats of them, which `b` makes.
void takeWords(OpBuilder b, Value target, VectorType words) {
  Type floats = target.getType();
  target.setType(words);
  auto made = vector::BitCastOp::create(b, target.getLoc(), floats, target);
  target.replaceAllUsesExcept(made, made);
}

void packLoop(scf::ForOp loop) {
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody()), behind(loop->getContext());
  behind.setInsertionPointAfter(loop);
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (VectorType words = wordsOf(loop.getResult(i).getType());
        words && isInWords(loop.getInits()[i]) && isInWords(loop.getYieldedValues()[i])) {
      passWords(loop.getInitsMutable()[i], words);
      passWords(loop.getYieldedValuesMutable().value()[i], words);
      takeWords(inside, loop.getRegionIterArg(i), words);
      takeWords(behind, loop.getResult(i), words);
    }
}

void packBranch(scf::IfOp branch) {
  OpBuilder behind(branch->getContext());
  behind.setInsertionPointAfter(branch);
  for (unsigned i = 0; i < branch.getNumResults(); ++i)
    if (VectorType words = wordsOf(branch.getResult(i).getType());
        words && isInWords(branch.thenYield().getOperand(i)) && isInWords(branch.elseYield().getOperand(i))) {
      passWords(branch.thenYield()->getOpOperand(i), words);
      passWords(branch.elseYield()->getOpOperand(i), words);
      takeWords(behind, branch.getResult(i), words);
    }
}

/// A BF16 number is the upper half of an F32 one. What is rounded one by one for NVIDIA's chips takes as long as a 2^x:
/// H200, 32,768 x 3072 x 768 with bias, GELU and its operand saved: 322 us, 294 by pairs and with a shorter quotient.
void widenWords(arith::ExtFOp op, bool roundsPairs) {
  VectorType words = wordsOf(op.getIn().getType()), wide = dyn_cast<VectorType>(op.getType());
  if (!words || !getElementTypeOrSelf(op.getIn().getType()).isBF16() || !wide.getElementType().isF32() ||
      !(isInWords(op.getIn()) || (roundsPairs && op.getIn().getDefiningOp<arith::TruncFOp>())))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto constant = [&](int32_t value) {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(words, APInt(32, uint32_t(value))));
  };
  auto half = VectorType::get(words.getShape(), wide.getElementType());
  auto floats = [&](Value bits) {
    return vector::ToElementsOp::create(b, loc, arith::BitcastOp::create(b, loc, half, bits)).getElements();
  };
  Value bits = vector::BitCastOp::create(b, loc, words, op.getIn());
  ResultRange low = floats(arith::ShLIOp::create(b, loc, bits, constant(16)));
  ResultRange high = floats(arith::AndIOp::create(b, loc, bits, constant(int32_t(0xffff0000))));
  SmallVector<Value> elements;
  for (auto [first, second] : llvm::zip(low, high))
    elements.append({first, second});
  op.replaceAllUsesWith(vector::FromElementsOp::create(b, loc, wide, elements).getResult());
  op.erase();
}

struct PackNarrowVectors : impl::PackNarrowVectorsBase<PackNarrowVectors> {
  void runOnOperation() override {
    getOperation().walk([](scf::IfOp branch) { packBranch(branch); }); // The innermost first.
    getOperation().walk([](scf::ForOp loop) { packLoop(loop); });
    const TargetInfo *target = device::targetInfoOf(getOperation());
    getOperation().walk([&](arith::ExtFOp op) { widenWords(op, target && target->roundsPairs); });
  }
};
} // namespace
} // namespace lispier
