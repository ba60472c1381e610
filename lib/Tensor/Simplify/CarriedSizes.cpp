//===- CarriedSizes.cpp - sizes of tensors that loops carry ---------------===//
#include "CarriedSizes.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace lispier {
namespace {
/// A value that a loop carries: what it is first, in the loop, next, and behind it.
struct Carried {
  OpOperand *init;
  SmallVector<BlockArgument>
      inside; ///< First the one that `init` becomes; of a scf.while also what the condition hands on.
  OpOperand *next;
  SmallVector<OpResult> results;
};

SmallVector<Carried> carriedBy(scf::ForOp loop) {
  SmallVector<Carried> all;
  for (auto [init, argument, next, result] : llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs(),
                                                       *loop.getYieldedValuesMutable(), loop.getResults()))
    all.push_back({&init, {argument}, &next, {result}});
  return all;
}

SmallVector<Carried> carriedBy(scf::WhileOp loop) {
  SmallVector<Carried> all;
  for (OpOperand &init : loop.getInitsMutable()) {
    unsigned number = init.getOperandNumber();
    Carried carried{&init, {loop.getBeforeArguments()[number]}, &loop.getYieldOp()->getOpOperand(number), {}};
    for (auto [i, value] : llvm::enumerate(loop.getConditionOp().getArgs()))
      if (value == carried.inside.front()) {
        carried.inside.push_back(loop.getAfterArguments()[i]);
        carried.results.push_back(cast<OpResult>(loop.getResult(i)));
      }
    all.push_back(carried);
  }
  return all;
}

SmallVector<Carried> carriedBy(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carriedBy(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return carriedBy(loop);
  return {};
}

/// The tensor that has all sizes of another that nothing has been written to.
Value sizesOf(tensor::EmptyOp empty) {
  Value source;
  unsigned next = 0;
  for (auto [dimension, size] : llvm::enumerate(empty.getType().getShape())) {
    if (!ShapedType::isDynamic(size))
      continue;
    auto given = empty.getDynamicSizes()[next++].getDefiningOp<tensor::DimOp>();
    if (!given || given.getConstantIndex() != int64_t(dimension) || (source && given.getSource() != source))
      return nullptr;
    source = given.getSource();
  }
  auto type = source ? cast<RankedTensorType>(source.getType()) : RankedTensorType();
  return type && type.getShape() == empty.getType().getShape() ? source : Value();
}

/// Whether the next value has the sizes of the one before.
bool staysEqual(const Carried &carried, SizeSource &source) {
  return llvm::is_contained(carried.inside, source.of(carried.next->get()));
}

void setType(Value value, Type type, Operation *at, OpBuilder b) {
  Type general = value.getType();
  value.setType(type);
  b.setInsertionPoint(at);
  auto cast = tensor::CastOp::create(b, value.getLoc(), general, value);
  value.replaceAllUsesExcept(cast, cast);
}

bool sharpen(Operation *loop, const Carried &carried, SizeSource &source) {
  auto general = cast<RankedTensorType>(carried.init->get().getType());
  RankedTensorType exact = general.clone(source.knownSizes(carried.init->get()));
  if (exact == general ||
      (ArrayRef(source.knownSizes(carried.next->get())) != exact.getShape() && !staysEqual(carried, source)))
    return false;
  OpBuilder b(loop);
  carried.init->set(tensor::CastOp::create(b, loop->getLoc(), exact, carried.init->get()));
  b.setInsertionPoint(carried.next->getOwner());
  Value next = tensor::CastOp::create(b, loop->getLoc(), exact, carried.next->get());
  for (BlockArgument argument : carried.inside)
    setType(argument, exact, &argument.getOwner()->front(), b);
  for (OpResult result : carried.results)
    setType(result, exact, loop->getNextNode(), b);
  carried.next->set(next);
  if (auto condition = dyn_cast<scf::WhileOp>(loop)) // Which hands on the value, and not a cast of it.
    for (OpOperand &value : condition.getConditionOp().getArgsMutable())
      if (auto cast = value.get().getDefiningOp<tensor::CastOp>();
          cast && cast.getSource() == carried.inside.front() && cast.getSource().getType() == exact)
        value.set(cast.getSource());
  return true;
}
} // namespace

Value SizeSource::of(Value value) {
  for (Value next = before(value); next; next = before(value))
    value = next;
  return value;
}

SmallVector<int64_t> SizeSource::knownSizes(Value value) {
  SmallVector<int64_t> sizes(cast<RankedTensorType>(value.getType()).getShape());
  for (value = before(value); value && isa<RankedTensorType>(value.getType()); value = before(value))
    for (auto [size, known] : llvm::zip_equal(sizes, cast<RankedTensorType>(value.getType()).getShape()))
      size = ShapedType::isDynamic(size) ? known : size;
  return sizes;
}

Value SizeSource::before(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return cast.getSource();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return sizesOf(empty);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return destination.getTiedOpOperand(result)->get();
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return insertion.getDest();
  if (op->hasTrait<OpTrait::Elementwise>()) {
    auto tensor = llvm::find_if(op->getOperands(), [](Value operand) { return isa<TensorType>(operand.getType()); });
    return tensor == op->operand_end() ? Value() : *tensor;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value then = of(branch.thenYield()->getOperand(number));
    return then == of(branch.elseYield()->getOperand(number)) ? then : nullptr;
  }
  if (auto call = dyn_cast<grad::CallOp>(op)) {
    unsigned others = call.valueResults().size();
    return call.getInto().empty() || number < others ? call.argumentOf(result) : call.getInto()[number - others];
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return writtenBy(call, number);
  for (const Carried &carried : carriedBy(op))
    if (llvm::is_contained(carried.results, result))
      return staysEqual(carried, *this) ? carried.init->get() : Value();
  return nullptr;
}

Value SizeSource::writtenBy(func::CallOp call, unsigned result) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  SmallVector<Value> written;
  for (unsigned i = 0; callee && i < callee.getNumArguments(); ++i)
    if (callee.getArgAttr(i, kInoutAttr))
      written.push_back(call.getOperand(i));
  unsigned others = call.getNumResults() - written.size();
  return written.empty() || result < others ? Value() : written[result - others];
}

bool sharpenCarriedSizes(func::FuncOp function, SizeSource &source) {
  SmallVector<std::pair<Operation *, Carried>> all;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const Carried &carried : carriedBy(op))
      if (isa<RankedTensorType>(carried.init->get().getType()))
        all.push_back({op, carried});
  });
  bool changes = false;
  for (auto &[loop, carried] : all)
    changes |= sharpen(loop, carried, source);
  return changes;
}
} // namespace lispier
