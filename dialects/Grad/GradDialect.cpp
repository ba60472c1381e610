//===- GradDialect.cpp - the grad dialect ---------------------------------===//
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

#include "lispier/Grad/GradDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lispier/Grad/GradOps.cpp.inc"

namespace lispier::grad {
void GradDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lispier/Grad/GradOps.cpp.inc"
      >();
}

LogicalResult GradDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kRecompute) {
    auto every = dyn_cast<IntegerAttr>(attribute.getValue());
    return isa<scf::ForOp, CallOp>(op) && every && every.getInt() >= 1
               ? success()
               : LogicalResult(op->emitOpError(kRecompute) << " is 1 or more, on a loop or grad.call");
  }
  if (attribute.getName() != kRule)
    return op->emitOpError() << attribute.getName() << " is no attribute of the dialect";
  return isa<func::FuncOp>(op) && isa<FlatSymbolRefAttr>(attribute.getValue())
             ? success()
             : LogicalResult(op->emitOpError(kRule) << " names a function, on a function");
}

LogicalResult CallOp::verify() {
  int64_t count = getInputs().size();
  if (getWrt().empty() || llvm::any_of(getWrt(), [&](int64_t i) { return i < 0 || i >= count; }))
    return emitOpError("takes gradients by some of its ") << count << " arguments, by their numbers";
  if (getNumResults() <= getWrt().size())
    return emitOpError("has the results of its function, and then ") << getWrt().size() << " gradients";
  if (getSeed().size() > 1 || (!getInto().empty() && getInto().size() != getWrt().size()))
    return emitOpError("has at most one seed, and into which each gradient goes, or none");
  auto gradients = getResults().take_back(getWrt().size());
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    Type wanted = getInto().empty() ? getInputs()[getWrt()[i]].getType() : getInto()[i].getType();
    if (gradient.getType() != wanted || !isa<FloatType>(getElementTypeOrSelf(wanted)))
      return emitOpError("gradient ") << i << " has the type " << wanted << " of floats, not " << gradient.getType();
  }
  return success();
}

LogicalResult RecomputeOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || TypeRange(yield.getValues().getTypes()) != TypeRange(getResultTypes()))
    return emitOpError("yields its results, of types ") << getResultTypes();
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError("calls ") << getCallee() << ", which is no function";
  if (TypeRange(function.getArgumentTypes()) != TypeRange(getInputs().getTypes()) ||
      TypeRange(function.getResultTypes()) != TypeRange(valueResults().getTypes()))
    return emitOpError("has other types than ") << getCallee() << ", " << function.getFunctionType();
  return success();
}
} // namespace lispier::grad
