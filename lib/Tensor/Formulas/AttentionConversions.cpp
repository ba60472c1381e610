//===- AttentionConversions.cpp - copies around attention -----------------===//
#include "AttentionConversions.h"
#include "TensorFormulas.h"
#include <cmath>

using namespace mlir;

namespace lispier {
static void followOperand(Attention &found, AttentionHeads &heads, bool scales) {
  while (auto op = heads.tensor.getDefiningOp<linalg::LinalgOp>()) {
    if (!op->hasOneUse() || op->getBlock() != found.product->getBlock() || !op.hasPureTensorSemantics())
      return;
    std::optional<Multiple> multiple = multipleOf(op);
    if (!multiple || multiple->rounds || !(multiple->factor > 0) || (!scales && multiple->factor != 1))
      return;
    auto order = llvm::map_to_vector<4>(heads.order, [&](unsigned at) { return multiple->places[at]; });
    if (!AttentionHeads{multiple->operand->get(), order}.fitsKernels())
      return;
    if (multiple->factor != 1) {
      int64_t size = cast<RankedTensorType>(heads.tensor.getType()).getDimSize(heads.order.back());
      if (!found.scale && ShapedType::isDynamic(size))
        return;
      found.scale = multiple->factor * found.scale.value_or(1 / std::sqrt(double(size)));
    }
    heads = {multiple->operand->get(), order};
    found.ops.insert(op);
  }
}

void followOperands(Attention &found) {
  followOperand(found, found.q, /*scales=*/true);
  followOperand(found, found.k, /*scales=*/true);
  followOperand(found, found.v, /*scales=*/false);
}

void followResult(Attention &found) {
  while (found.result.tensor.hasOneUse()) {
    auto op = dyn_cast<linalg::LinalgOp>(*found.result.tensor.user_begin());
    std::optional<Multiple> multiple =
        op && op->getBlock() == found.product->getBlock() ? multipleOf(op) : std::nullopt;
    if (!multiple || multiple->factor != 1)
      return;
    AttentionHeads next{op->getResult(0), {}};
    for (unsigned at : found.result.order)
      next.order.push_back(llvm::find(multiple->places, at) - multiple->places.begin());
    if (!next.fitsKernels())
      return;
    found.result = next;
    found.ops.insert(op);
  }
}
} // namespace lispier
