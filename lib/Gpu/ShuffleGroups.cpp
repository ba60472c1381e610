//===- ShuffleGroups.cpp - shuffles over a part of a warp -----------------===//
#include "lispier/Gpu/ShuffleGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace lispier {
std::optional<APInt> knownLanes(Value lanes) {
  if (auto cast = lanes.getDefiningOp<arith::IndexCastOp>())
    lanes = cast.getIn();
  APInt known;
  if (!matchPattern(lanes, m_ConstantInt(&known)))
    return std::nullopt;
  return known;
}

bool staysInGroup(gpu::ShuffleOp op) {
  std::optional<APInt> width = knownLanes(op.getWidth()), offset = knownLanes(op.getOffset());
  return width && offset && op.getMode() == gpu::ShuffleMode::XOR && offset->getZExtValue() < width->getZExtValue();
}

namespace {
Value source(ImplicitLocOpBuilder &b, gpu::ShuffleOp op, Value lane, Value first) {
  switch (op.getMode()) {
  case gpu::ShuffleMode::XOR:
    return arith::XOrIOp::create(b, lane, op.getOffset());
  case gpu::ShuffleMode::UP:
    return arith::SubIOp::create(b, lane, op.getOffset());
  case gpu::ShuffleMode::DOWN:
    return arith::AddIOp::create(b, lane, op.getOffset());
  case gpu::ShuffleMode::IDX:
    return arith::AddIOp::create(b, first, op.getOffset());
  }
  llvm_unreachable("no other mode");
}
} // namespace

GroupPartner partnerInGroup(ImplicitLocOpBuilder &b, gpu::ShuffleOp op) {
  Value lane = arith::IndexCastOp::create(b, b.getI32Type(), gpu::LaneIdOp::create(b, /*upper_bound=*/nullptr));
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  Value first = arith::AndIOp::create(b, lane, arith::SubIOp::create(b, zero, op.getWidth()));
  Value from = source(b, op, lane, first);
  Value valid =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, arith::SubIOp::create(b, from, first), op.getWidth());
  return {first, arith::SelectOp::create(b, valid, from, lane), valid};
}
} // namespace lispier
