//===- SetPrecision.cpp - how exact the products of a program are ---------===//
//
// Before: products of F32 factors in kernels, some with a precision of their own. After:
// the others have the precision of the program.
//
//===----------------------------------------------------------------------===//
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
#define GEN_PASS_DEF_SETPRECISION
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
bool isProductOfF32(linalg::LinalgOp op) {
  bool isProduct = roleOf(op) == TensorRole::Contraction || isa<linalg::ConvolutionOpInterface>(op.getOperation());
  return isProduct && llvm::all_of(op.getDpsInputs(), [](Value factor) {
           return isa<ShapedType>(factor.getType()) && getElementTypeOrSelf(factor).isF32();
         });
}

struct SetPrecision : impl::SetPrecisionBase<SetPrecision> {
  using SetPrecisionBase::SetPrecisionBase;

  void runOnOperation() override {
    std::optional<tile::Precision> chosen = tile::symbolizePrecision(precision);
    if (!chosen) {
      getOperation().emitError() << "a product has no precision `" << precision << "`";
      return signalPassFailure();
    }
    getOperation().walk([&](group::KernelOp kernel) {
      for (auto op : kernel.getBody().getOps<linalg::LinalgOp>())
        if (!op->hasAttr(tile::kPrecision) && isProductOfF32(op))
          op->setAttr(tile::kPrecision, tile::PrecisionAttr::get(&getContext(), *chosen));
    });
  }
};
} // namespace
} // namespace lispier
