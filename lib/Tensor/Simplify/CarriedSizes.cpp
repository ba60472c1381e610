//===- CarriedSizes.cpp - sizes of tensors that loops carry ---------------===//
#include "CarriedSizes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// A value that a loop carries: what it is first, in the loop, next, and behind it.
struct Carried {
  Operation *loop;
  OpOperand *init;
  /// First the one that `init` becomes; of a scf.while also what its condition hands on of that.
  SmallVector<BlockArgument> inside;
  OpOperand *next;
  SmallVector<OpResult> results;
  RankedTensorType exact; ///< With the sizes that all of them have.
};

void addCarried(scf::ForOp loop, SmallVectorImpl<Carried> &all) {
  for (auto [init, argument, next, result] : llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs(),
                                                       *loop.getYieldedValuesMutable(), loop.getResults()))
    all.push_back({loop, &init, {argument}, &next, {result}, nullptr});
}

void addCarried(scf::WhileOp loop, SmallVectorImpl<Carried> &all) {
  for (OpOperand &init : loop.getInitsMutable()) {
    unsigned number = init.getOperandNumber();
    OpOperand &next = loop.getYieldOp()->getOpOperand(number);
    Carried carried{loop, &init, {loop.getBeforeArguments()[number]}, &next, {}, nullptr};
    for (auto [i, value] : llvm::enumerate(loop.getConditionOp().getArgs()))
      if (value == carried.inside.front()) {
        carried.inside.push_back(loop.getAfterArguments()[i]);
        carried.results.push_back(cast<OpResult>(loop.getResult(i)));
      }
    all.push_back(carried);
  }
}

void setType(Value value, Type type, OpBuilder &b) {
  Type general = value.getType();
  value.setType(type);
  auto cast = tensor::CastOp::create(b, value.getLoc(), general, value);
  value.replaceAllUsesExcept(cast, cast);
}

void sharpen(const Carried &carried) {
  Location loc = carried.loop->getLoc();
  OpBuilder b(carried.loop);
  carried.init->set(tensor::CastOp::create(b, loc, carried.exact, carried.init->get()));
  b.setInsertionPoint(carried.next->getOwner());
  Value next = tensor::CastOp::create(b, loc, carried.exact, carried.next->get());
  for (BlockArgument argument : carried.inside) {
    b.setInsertionPointToStart(argument.getOwner());
    setType(argument, carried.exact, b);
  }
  for (OpResult result : carried.results) {
    b.setInsertionPointAfter(carried.loop);
    setType(result, carried.exact, b);
  }
  carried.next->set(next);
  if (auto condition = dyn_cast<scf::WhileOp>(carried.loop)) // Which hands on the value, and not a cast of it.
    for (OpOperand &value : condition.getConditionOp().getArgsMutable())
      if (auto cast = value.get().getDefiningOp<tensor::CastOp>(); cast && cast.getSource() == carried.inside.front())
        value.set(cast.getSource());
}
} // namespace

RankedTensorType knownType(Value tensor, OuterSizes &sizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      if (std::optional<SymbolicSize> known = sizes.of(tensor, d))
        size = known->constant().value_or(size);
  return type.clone(shape);
}

bool sharpenCarriedSizes(func::FuncOp function) {
  SmallVector<Carried> all;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::WhileOp>([&](auto loop) { addCarried(loop, all); });
  });
  llvm::erase_if(all, [](const Carried &carried) {
    auto type = dyn_cast<RankedTensorType>(carried.init->get().getType());
    return !type || type.hasStaticShape();
  });
  OuterSizes sizes(function); // Of what is there before the first change.
  for (Carried &carried : all)
    carried.exact = knownType(carried.inside.front(), sizes);
  llvm::erase_if(all, [](const Carried &carried) { return carried.exact == carried.init->get().getType(); });
  llvm::for_each(all, sharpen);
  return !all.empty();
}
} // namespace lispier
