//===- EqualSlices.cpp - slices that are told equal at once ---------------===//
#include "lispier/Buffers/EqualSlices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

namespace {
struct InsertedSlice : SubsetOpInterface::ExternalModel<InsertedSlice, tensor::InsertSliceOp> {
  FailureOr<HyperrectangularSlice> getAccessedHyperrectangularSlice(Operation *op) const {
    return HyperrectangularSlice(cast<OffsetSizeAndStrideOpInterface>(op));
  }

  bool operatesOnEquivalentSubset(Operation *op, SubsetOpInterface candidate,
                                  function_ref<bool(Value, Value)> areEquivalent) const {
    auto own = cast<OffsetSizeAndStrideOpInterface>(op);
    auto other = dyn_cast<OffsetSizeAndStrideOpInterface>(candidate.getOperation());
    if (other && own.getMixedOffsets() == other.getMixedOffsets() && own.getMixedSizes() == other.getMixedSizes() &&
        own.getMixedStrides() == other.getMixedStrides())
      return areEquivalent(detail::getTensorContainer(op), detail::getTensorContainer(candidate));
    return detail::defaultOperatesOnEquivalentSubset(op, candidate, areEquivalent);
  }
};
} // namespace

void lispier::registerEqualSlices(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::InsertSliceOp::attachInterface<InsertedSlice>(*context);
  });
}
