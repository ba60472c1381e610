//===- Cost.cpp - cost model for loop bodies ------------------------------===//
#include "lispier/Loops/Cost.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kUnknownTrips = 64;
constexpr int64_t kCall = 100;
constexpr int64_t kLaunch = 2 * kCall; // Of a kernel whose size is not known here.
constexpr int64_t kMathFunction = 20;
constexpr int64_t kVectorRegisterBytes = 64;

/// Number of machine registers of the widest operand or result: an op on vector<16x32xf32> is many instructions.
int64_t registers(Operation *op) {
  int64_t most = 1;
  auto look = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type)) {
      int64_t bits = vector.getElementType().isIntOrFloat() ? vector.getElementTypeBitWidth() : 64;
      most = std::max<int64_t>(most, llvm::divideCeil(vector.getNumElements() * bits, kVectorRegisterBytes * 8));
    }
  };
  llvm::for_each(op->getOperandTypes(), look);
  llvm::for_each(op->getResultTypes(), look);
  return most;
}

int64_t tripCount(LoopLikeOpInterface loop) {
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
                                           step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return kUnknownTrips;
  int64_t trips = 1;
  for (auto [lo, hi, by] : llvm::zip_equal(*lower, *upper, *step)) {
    std::optional<int64_t> l = getConstantIntValue(lo), h = getConstantIntValue(hi), s = getConstantIntValue(by);
    int64_t here = l && h && s && *s > 0 ? (*h > *l ? int64_t(llvm::divideCeil(*h - *l, *s)) : 0) : kUnknownTrips;
    trips = llvm::SaturatingMultiply<uint64_t>(trips, here) > uint64_t(INT64_MAX / 2) ? INT64_MAX / 2 : trips * here;
  }
  return trips;
}

class Estimate {
public:
  int64_t cost(Region &region) {
    uint64_t sum = 0;
    for (Operation &op : region.getOps())
      sum = llvm::SaturatingAdd<uint64_t>(sum, cost(op));
    return std::min<uint64_t>(sum, INT64_MAX / 2);
  }

private:
  int64_t cost(Operation &op) {
    int64_t own = registers(&op);
    if (op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>())
      own = 0;
    else if (isa_and_nonnull<math::MathDialect>(op.getDialect()) && !isa<math::FmaOp, math::AbsFOp>(op))
      own *= kMathFunction;
    else if (auto call = dyn_cast<CallOpInterface>(op))
      own = callCost(call);
    else if (isa<gpu::LaunchFuncOp>(op))
      own = kLaunch;
    uint64_t inside = 0;
    for (Region &region : op.getRegions())
      inside = llvm::SaturatingAdd<uint64_t>(inside, cost(region));
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      inside = llvm::SaturatingMultiply<uint64_t>(inside, tripCount(loop));
    return std::min<uint64_t>(llvm::SaturatingAdd<uint64_t>(own, inside), INT64_MAX / 2);
  }

  /// Cost of the callee's body if it is in the module, computed once; a recursive call costs as much as an external
  /// one.
  int64_t callCost(CallOpInterface call) {
    auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallable());
    Region *body = callee ? callee.getCallableRegion() : nullptr;
    if (!body)
      return kCall;
    auto [known, isNew] = bodies.try_emplace(body, kCall);
    if (!isNew)
      return known->second;
    int64_t result = cost(*body);
    return bodies[body] = result;
  }

  llvm::DenseMap<Region *, int64_t> bodies;
};
} // namespace

int64_t estimateCost(Region &region) { return std::max<int64_t>(1, Estimate().cost(region)); }
} // namespace lispier
