//===- GroupProblems.cpp - why two groups of ops are not one kernel -------===//
//===----------------------------------------------------------------------===//
#include "GroupPlan.h"
#include "RingProducts.h"
#include "lispier/Tensor/Groups/ColumnSums.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace lispier {
namespace {
/// A kernel has at most so many tensors as operands: each is a pointer and sizes in registers.
constexpr unsigned kMostTensors = 16;
/// And so many ops: to see whether two groups can be one takes time for each of their ops.
constexpr size_t kMostOps = 64;
/// An op on a product's operand costs at most so much, as it is done for each use of the element.
constexpr int64_t kMostPrologueCost = 2;

/// Whether the op reads elements of more bits than it makes, as (cast bf16 x) of f32.
bool narrows(linalg::LinalgOp op) {
  auto bits = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  };
  return llvm::any_of(op.getDpsInputs(), [&](Value input) { return bits(input) > bits(op->getResult(0)); });
}

/// Whether a parallel loop of the op goes over more than one iteration for the same element of the operand.
bool isUsedSeveralTimes(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (linalg::isParallelIterator(op.getIteratorTypesArray()[loop]) && size != 1 && !map.isFunctionOfDim(loop))
      return true;
  return false;
}

} // namespace

/// Whether a result of the group is used by an op of neither.
bool GroupPlan::isUsedOutside(const Group &group, const Group &other) const {
  return llvm::any_of(group.ops, [&](linalg::LinalgOp op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      const Group *in = groupOf(user);
      return in != &group && in != &other;
    });
  });
}

unsigned GroupPlan::countOperands(const Group &producer, const Group &consumer) const {
  llvm::SmallPtrSet<Value, 16> tensors;
  for (const Group *group : {&producer, &consumer})
    for (Operation *op : group->members())
      for (Value operand : op->getOperands())
        if (const Group *in = operand.getDefiningOp() ? groupOf(operand.getDefiningOp()) : nullptr;
            isa<TensorType>(operand.getType()) && !operand.getDefiningOp<tensor::EmptyOp>() && in != &producer &&
            in != &consumer)
          tensors.insert(operand);
  return tensors.size();
}

/// The contraction's way: elementwise ops on its result, cheap ones on its operands.
std::string GroupPlan::productProblem(const Group &producer, const Group &consumer) const {
  auto isProduct = [](const Group &group) {
    return group.has(TensorRole::Contraction) || group.has(TensorRole::Other);
  };
  bool first = isProduct(producer), second = isProduct(consumer);
  if (first && second)
    if (std::string why = pairProblem(producer, consumer); !why.empty())
      return why;
  if ((first || second) && (producer.has(TensorRole::Reduction) || consumer.has(TensorRole::Reduction)))
    return "a reduction needs whole rows, and a tile of a product has parts of rows";
  auto isMadeHere = [&](Value operand) {
    return operand.getDefiningOp() && groupOf(operand.getDefiningOp()) == &producer;
  };
  for (linalg::LinalgOp op : consumer.ops)
    if (first && isBehindRing(op) && llvm::any_of(op->getOperands(), isMadeHere))
      return "a ring makes the product, and has no place for several elements for one of its result";
  if (!second)
    return "";
  for (linalg::LinalgOp op : consumer.ops) {
    if (roleOf(op) != TensorRole::Contraction && roleOf(op) != TensorRole::Other)
      continue;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Operation *made = operand->get().getDefiningOp();
      if (!made || groupOf(made) != &producer)
        continue;
      bool isCheap = producer.ops.size() == 1 && elementCost(producer.ops[0]) <= kMostPrologueCost &&
                     isCheaperThanMemory(producer.ops[0]) && roleOf(op) == TensorRole::Contraction;
      if (!isCheap)
        return "the product uses each element several times, and would compute it for each";
      if (narrows(producer.ops[0]) && isUsedSeveralTimes(op, *operand))
        return "the product uses each element several times, and would read wider ones each time";
    }
  }
  return !first && isUsedOutside(producer, consumer) ? "others need it, who would have to wait for the product" : "";
}

/// A scan's way: elementwise ops on the same elements before and after it.
std::string GroupPlan::scanProblem(const Group &producer, const Group &consumer) const {
  if (producer.scan && consumer.scan)
    return "each of the two is a scan, which carries along its own rows";
  if (!(producer.scan ? consumer : producer).isElementwise())
    return "a scan carries along rows, and only elementwise ops are done beside it";
  for (Operation *op : consumer.members()) {
    auto reader = dyn_cast<linalg::LinalgOp>(op);
    llvm::SetVector<Value> gathered;
    getUsedValuesDefinedAbove(op->getRegions(), gathered);
    for (Value table : gathered)
      if (table.getDefiningOp() && groupOf(table.getDefiningOp()) == &producer)
        return "it reads a result at other places than its own";
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *made = operand.get().getDefiningOp();
      if (!made || groupOf(made) != &producer || !reader)
        continue;
      if (!reader.getMatchingIndexingMap(&operand).isPermutation())
        return "it would be computed again for each element of a larger result";
      if (reader.isDpsInit(&operand) && reader.payloadUsesValueFromOperand(&operand))
        return "it adds to a result of the other";
    }
  }
  auto places = [](linalg::LinalgOp op) {
    return llvm::all_of(op.getDpsInitsMutable(),
                        [&](OpOperand &init) { return op.getMatchingIndexingMap(&init).isPermutation(); });
  };
  if (!llvm::all_of(producer.ops, places) || !llvm::all_of(consumer.ops, places))
    return "it makes several elements for one of the scan";
  return "";
}

/// Whether both products read the same elements of one operand for each element of their results: `rows` says which
/// loops of the two are the same.
static bool shareOperand(linalg::LinalgOp first, linalg::LinalgOp second, const GroupRows &rows) {
  auto placesOf = [&](linalg::LinalgOp op, OpOperand &operand) -> std::optional<SmallVector<int64_t>> {
    std::optional<SmallVector<unsigned>> loops = loopDimsOf(op, operand);
    const auto *own = rows.loops.find(op);
    if (!loops || own == rows.loops.end())
      return std::nullopt;
    return llvm::map_to_vector(*loops, [&](unsigned loop) -> int64_t {
      const auto *at = llvm::find(own->second, loop);
      return at == own->second.end() ? -1 : at - own->second.begin(); // -1: summed.
    });
  };
  for (OpOperand *a : first.getDpsInputOperands())
    for (OpOperand *b : second.getDpsInputOperands())
      if (a->get() == b->get())
        if (auto places = placesOf(first, *a); places && places == placesOf(second, *b))
          return true;
  return false;
}

/// Two products of one operand whose results meet are summed in one loop, which reads that operand once.
std::string GroupPlan::pairProblem(const Group &producer, const Group &consumer) const {
  SmallVector<linalg::LinalgOp> products;
  for (const Group *group : {&producer, &consumer})
    for (linalg::LinalgOp op : group->ops)
      if (roleOf(op) == TensorRole::Contraction || roleOf(op) == TensorRole::Other)
        products.push_back(op);
  bool isPair =
      tilePrograms && products.size() == 2 && !producer.has(TensorRole::Other) && !consumer.has(TensorRole::Other);
  return isPair && shareOperand(products[0], products[1], rowsOf(producer, consumer))
             ? ""
             : "each of the two is a product, with tiles of its own";
}

/// Of a chain, whose products share what they compute again and no result, only those count that the others use.
GroupRows GroupPlan::rowsOf(const Group &producer, const Group &consumer) const {
  SmallVector<linalg::LinalgOp> all;
  auto isOperandOfProduct = [&](linalg::LinalgOp op) {
    return consumer.has(TensorRole::Contraction) && llvm::any_of(op->getUses(), [](OpOperand &use) {
             auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
             return user && roleOf(user) == TensorRole::Contraction && user.isDpsInput(&use);
           });
  };
  auto isIn = [&](Operation *op, const Group &group) { return op && groupOf(op) == &group; };
  auto isJoined = [&](linalg::LinalgOp op) {
    const Group &other = isIn(op, producer) ? consumer : producer;
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return isIn(user, other); }) ||
           llvm::any_of(op->getOperands(), [&](Value operand) { return isIn(operand.getDefiningOp(), other); });
  };
  bool isChain = producer.isChain || consumer.isChain;
  for (const Group *group : {&producer, &consumer})
    for (linalg::LinalgOp op : group->ops)
      if (!group->prologue.contains(op) && !(group == &producer && isOperandOfProduct(op)) &&
          (!isChain || isJoined(op)))
        all.push_back(op);
  llvm::sort(all, [&](auto a, auto b) { return number.lookup(a) < number.lookup(b); });
  GroupRows rows = inferRows(all, /*parts=*/tilePrograms);
  bool maySum = columnSums && !rows.mistake.empty() &&
                (producer.has(TensorRole::Reduction) || consumer.has(TensorRole::Reduction));
  if (std::optional<ColumnSums> sums = maySum ? columnSumsOf(all) : std::nullopt)
    return {std::move(sums->rowLoops), ""};
  return rows;
}

/// A path from the one to the other through ops of neither would become a cycle.
std::string GroupPlan::pathProblem(const Group &producer, const Group &consumer) const {
  std::vector<bool> inside(ops.size(), false), seen(ops.size(), false);
  SmallVector<unsigned> pending;
  for (const Group *group : {&producer, &consumer})
    for (Operation *op : group->members())
      inside[number.lookup(op)] = true;
  for (unsigned i = 0; i < ops.size(); ++i)
    if (inside[i])
      pending.push_back(i);
  auto visit = [&](unsigned i) {
    if (!seen[i] && !inside[i]) {
      seen[i] = true;
      pending.push_back(i);
    }
  };
  while (!pending.empty()) {
    unsigned i = pending.pop_back_val();
    for (unsigned user : users[i]) {
      if (inside[user] && !inside[i])
        return kept.hasEffects(ops[i]) ? "a call that prints or has another effect is between them"
                                       : "what lies between them needs the one, and the other needs it";
      visit(user);
      if (auto group = table.find(groupNumber[user]); group != table.end() && !inside[user])
        for (Operation *member : group->second.members()) // A group is done as a whole.
          visit(number.lookup(member));
    }
  }
  return "";
}

std::string GroupPlan::problem(const Group &producer, const Group &consumer) const {
  if (producer.attention || consumer.attention)
    return "attention is a kernel of its own";
  auto beginsSum = [](linalg::LinalgOp op) {
    return isa<linalg::FillOp>(op.getOperation()) && llvm::all_of(op->getUses(), [](OpOperand &use) {
             auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
             return user && user.isDpsInit(&use);
           });
  };
  if (consumer.isChain && !llvm::all_of(producer.ops, beginsSum))
    return "the products that need it compute what they need for each of their tiles";
  bool scans = producer.scan || consumer.scan;
  if (std::string why = scans ? scanProblem(producer, consumer) : ""; !why.empty())
    return why;
  if (producer.ops.size() + consumer.ops.size() > kMostOps)
    return "together they would have more than " + std::to_string(kMostOps) + " ops";
  opsCompared += producer.ops.size() + consumer.ops.size();
  if (std::string why = productProblem(producer, consumer); !why.empty())
    return why;
  if (std::string why = longRowProblem(producer, consumer); !why.empty())
    return why;
  if (std::string why = wholeSumProblem(producer, consumer); !why.empty())
    return why;
  if (countOperands(producer, consumer) > kMostTensors)
    return "together they would have more than " + std::to_string(kMostTensors) + " tensors as operands";
  if (std::string why = scans ? "" : rowsOf(producer, consumer).mistake; !why.empty())
    return why;
  return pathProblem(producer, consumer);
}

std::string GroupPlan::whyApart(const Group &producer, const Group &consumer) const {
  std::string why = problem(producer, consumer);
  return !why.empty()                          ? why
         : producer.kind() == group::Kind::Row ? "sums of columns compute it rather than read it"
                                               : "a reduction needs it, and the product is stored anyway";
}
} // namespace lispier
