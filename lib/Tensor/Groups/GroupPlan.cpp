//===- GroupPlan.cpp - which ops of a block are one kernel ----------------===//
#include "GroupPlan.h"
#include "LongRows.h"
#include "lispier/Tensor/Groups/ColumnSums.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;

namespace lispier {
namespace {
bool isMember(Operation &op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() && op.getNumResults() > 0 && isMemoryEffectFree(&op);
}

/// The op's iterations along loops of a type; 0 if a size is not known.
int64_t iterations(linalg::LinalgOp op, utils::IteratorType wanted) {
  int64_t count = 1;
  for (auto [size, type] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (type == wanted)
      count *= ShapedType::isDynamic(size) ? 0 : size;
  return count;
}

/// Whether the op reads another element of the operand in each iteration.
bool readsAll(linalg::LinalgOp op, OpOperand &operand) { return op.getMatchingIndexingMap(&operand).isPermutation(); }

/// The operand's dimensions that a reduction keeps, of one that it reads all of.
SmallVector<unsigned> keptDimensions(linalg::LinalgOp reduction, OpOperand &operand) {
  SmallVector<unsigned> kept;
  for (auto [dimension, loop] : llvm::enumerate(reduction.getMatchingIndexingMap(&operand).getResults()))
    if (linalg::isParallelIterator(reduction.getIteratorTypesArray()[cast<AffineDimExpr>(loop).getPosition()]))
      kept.push_back(dimension);
  return kept;
}

using Group = GroupPlan::Group;
} // namespace

bool Group::has(TensorRole role) const {
  return llvm::any_of(ops, [&](linalg::LinalgOp op) { return roleOf(op) == role; });
}

bool Group::isElementwise() const {
  return !attention && !scan &&
         llvm::all_of(ops, [](linalg::LinalgOp op) { return roleOf(op) == TensorRole::Elementwise; });
}

SmallVector<Operation *> Group::members() const {
  SmallVector<Operation *> all(ops.begin(), ops.end());
  for (Operation *other : {group::AttentionOp(attention).getOperation(), group::ScanOp(scan).getOperation()})
    if (other)
      all.insert(llvm::find_if(all, [&](Operation *op) { return other->isBeforeInBlock(op); }), other);
  return all;
}

group::Kind Group::kind() const {
  if (attention)
    return group::Kind::Attention;
  if (scan)
    return group::Kind::Scan;
  if (has(TensorRole::Other))
    return group::Kind::Other;
  if (has(TensorRole::Contraction))
    return group::Kind::Contraction;
  if (has(TensorRole::Reduction))
    return group::Kind::Row;
  auto copies = [](linalg::LinalgOp op) {
    return op.getNumDpsInputs() == 1 && !op.hasIndexSemantics() && op.getBlock()->without_terminator().empty() &&
           isa<RankedTensorType>(op.getDpsInputs()[0].getType());
  };
  return llvm::all_of(ops, copies) ? group::Kind::Copy : group::Kind::Elementwise;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

GroupPlan::GroupPlan(Block &block, const KeptOrder &order, bool tilePrograms, bool columnSums,
                     ArrayRef<ProductChain> chains)
    : block(block), kept(order), tilePrograms(tilePrograms), columnSums(columnSums) {
  for (Operation &op : block) {
    unsigned i = ops.size();
    number[&op] = i;
    ops.push_back(&op);
    groupNumber.push_back(i);
    if (isMember(op))
      table[i].ops.push_back(cast<linalg::LinalgOp>(op));
    else if (auto attention = dyn_cast<group::AttentionOp>(op))
      table[i].attention = attention;
    else if (auto scan = dyn_cast<group::ScanOp>(op))
      table[i].scan = scan;
  }
  for (const ProductChain &chain : chains) {
    unsigned own = number.lookup(chain.last.front());
    Group &group = table[own];
    group.isChain = true;
    group.ops.append(chain.ops);
    group.ops.append(chain.last.begin() + 1, chain.last.end());
    group.prologue.insert_range(chain.ops);
    for (linalg::LinalgOp op : group.ops)
      if (unsigned i = number.lookup(op); i != own) {
        groupNumber[i] = own;
        table.erase(i);
      }
    llvm::sort(table[own].ops, [&](auto a, auto b) { return number.lookup(a) < number.lookup(b); });
  }
  connect();
}

void GroupPlan::connect() {
  users.resize(ops.size());
  connectReaders();
  connectEffects();
  std::optional<unsigned> lastEffect;
  for (auto [i, op] : llvm::enumerate(ops)) {
    llvm::SmallSetVector<unsigned, 8> before;
    op->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *defining = operand.getDefiningOp(); defining && defining->getBlock() == &block)
          before.insert(number.lookup(defining));
    });
    bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
    if (isTerminator || !isMemoryEffectFree(op)) {
      if (lastEffect)
        before.insert(*lastEffect);
      lastEffect = i;
    }
    if (isTerminator)
      before.insert_range(llvm::seq<unsigned>(0, i));
    for (unsigned j : before)
      users[j].push_back(i);
  }
}

void GroupPlan::connectReaders() {
  for (auto [i, op] : llvm::enumerate(ops))
    kept.forEachReaderBefore(op, [&](Operation *reader) { users[number.lookup(reader)].push_back(i); });
}

void GroupPlan::connectEffects() {
  std::optional<unsigned> last;
  SmallVector<unsigned> work; // Behind it.
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (kept.hasEffects(op)) {
      for (unsigned before : work)
        users[before].push_back(i);
      work.clear();
      last = i;
    } else if (isTensorWork(op)) {
      if (last)
        users[*last].push_back(i);
      work.push_back(i);
    }
  }
}

const Group *GroupPlan::groupOf(Operation *op) const {
  auto found = number.find(op);
  if (found == number.end())
    return nullptr;
  auto entry = table.find(groupNumber[found->second]);
  return entry == table.end() ? nullptr : &entry->second;
}

SmallVector<Operation *> GroupPlan::order() const {
  // Kahn's algorithm on groups, each as early as its first op was.
  std::vector<SmallVector<unsigned>> members(ops.size());
  for (unsigned i = 0; i < ops.size(); ++i)
    members[groupNumber[i]].push_back(i);
  std::vector<unsigned> waits(ops.size(), 0);
  auto forEachEdge = [&](unsigned group, llvm::function_ref<void(unsigned)> visit) {
    for (unsigned i : members[group])
      for (unsigned user : users[i])
        if (groupNumber[user] != group)
          visit(groupNumber[user]);
  };
  for (unsigned i = 0; i < ops.size(); ++i)
    forEachEdge(i, [&](unsigned user) { ++waits[user]; });
  std::set<unsigned> ready;
  for (unsigned i = 0; i < ops.size(); ++i)
    if (!members[i].empty() && waits[i] == 0)
      ready.insert(i);
  SmallVector<Operation *> result;
  while (!ready.empty()) {
    unsigned next = *ready.begin();
    ready.erase(ready.begin());
    for (unsigned i : members[next])
      result.push_back(ops[i]);
    forEachEdge(next, [&](unsigned user) {
      if (--waits[user] == 0)
        ready.insert(user);
    });
  }
  assert(result.size() == ops.size() && "groups have no cycles");
  return result;
}

SmallVector<const Group *> GroupPlan::groups() const {
  llvm::SmallSetVector<const Group *, 8> result;
  for (Operation *op : order())
    if (const Group *group = groupOf(op))
      result.insert(group);
  return result.takeVector();
}

//===----------------------------------------------------------------------===//
// Rules for rows
//===----------------------------------------------------------------------===//

/// A kernel that sums parts of long rows makes nothing else that is as long.
std::string GroupPlan::longRowProblem(const Group &producer, const Group &consumer) const {
  auto isLong = [](linalg::LinalgOp op) {
    return op.getNumReductionLoops() > 0 || iterations(op, utils::IteratorType::parallel) >= kLongRow;
  };
  bool comesFirst = llvm::any_of(producer.ops, reducesFewLongRows) && llvm::any_of(consumer.ops, isLong);
  bool needsStore = llvm::any_of(consumer.ops, reducesFewLongRows) && llvm::any_of(producer.ops, isLong) &&
                    isUsedOutside(producer, consumer);
  return tilePrograms && (comesFirst || needsStore) ? "its rows are few and long, and more programs have parts of them"
                                                    : "";
}

/// Reductions of whole tensors have no rows that they could share: the programs of a kernel walk the elements of one
/// tensor, as those of a mean and of what is summed with it do.
std::string GroupPlan::wholeSumProblem(const Group &producer, const Group &consumer) const {
  auto walkedBy = [&](const Group &group) {
    llvm::SmallSetVector<Value, 8> walked;
    auto addOperands = [&](linalg::LinalgOp op) {
      for (OpOperand *operand : op.getDpsInputOperands())
        if (isa<RankedTensorType>(operand->get().getType()) && readsAll(op, *operand))
          walked.insert(operand->get());
    };
    for (linalg::LinalgOp op : group.ops)
      if (roleOf(op) == TensorRole::Reduction && op.getNumParallelLoops() == 0)
        addOperands(op);
    for (size_t i = 0; i < walked.size(); ++i)
      if (auto made = walked[i].getDefiningOp<linalg::LinalgOp>();
          made && (groupOf(made) == &producer || groupOf(made) == &consumer))
        addOperands(made);
    return walked;
  };
  if (!tilePrograms || !producer.has(TensorRole::Reduction) || !consumer.has(TensorRole::Reduction))
    return "";
  llvm::SmallSetVector<Value, 8> first = walkedBy(producer), second = walkedBy(consumer);
  bool areApart =
      !first.empty() && !second.empty() && llvm::none_of(first, [&](Value tensor) { return second.contains(tensor); });
  return areApart ? "it is a sum of other elements" : "";
}

bool GroupPlan::merge(unsigned producer, unsigned consumer) {
  if (producer == consumer || !problem(table[producer], table[consumer]).empty())
    return false;
  Group from = std::move(table[producer]);
  Group &into = table[consumer];
  bool hadProduct = into.has(TensorRole::Contraction);
  for (linalg::LinalgOp op : from.ops) {
    groupNumber[number.lookup(op)] = consumer;
    if (hadProduct && llvm::any_of(op->getUses(), [&](OpOperand &use) {
          auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
          return user && roleOf(user) == TensorRole::Contraction && user.isDpsInput(&use);
        }))
      into.prologue.insert(op);
    into.ops.push_back(op);
  }
  into.prologue.insert_range(from.prologue);
  into.isChain |= from.isChain;
  if (from.scan) {
    groupNumber[number.lookup(from.scan)] = consumer;
    into.scan = from.scan;
  }
  table.erase(producer);
  llvm::sort(table[consumer].ops, [&](auto a, auto b) { return number.lookup(a) < number.lookup(b); });
  return true;
}

/// Whether an elementwise op on a product's result, or on what its kernel makes of it, is left to reductions that use
/// the op, so that its own result is not stored, or by these: others need what it reads, which is stored anyway.
bool GroupPlan::isLeftToRows(linalg::LinalgOp op, Operation *product) const {
  auto made = dyn_cast<linalg::LinalgOp>(product); // Else attention.
  bool isOfProduct = made && (roleOf(made) == TensorRole::Contraction ||
                              (tilePrograms && roleOf(made) == TensorRole::Elementwise &&
                               groupOf(made)->has(TensorRole::Contraction) && !groupOf(made)->prologue.contains(made)));
  if (!isOfProduct || roleOf(op) != TensorRole::Elementwise)
    return false;
  bool isStored = llvm::any_of(product->getUsers(), [&](Operation *user) {
    return user != op && !isa<tensor::DimOp>(user) && groupOf(user) != groupOf(product);
  });
  bool isReduced = false;
  for (Operation *user : op->getUsers()) {
    auto member = groupOf(user) ? dyn_cast<linalg::LinalgOp>(user) : linalg::LinalgOp();
    if (!member || (roleOf(member) != TensorRole::Elementwise && roleOf(member) != TensorRole::Reduction))
      return false;
    isReduced |= roleOf(member) == TensorRole::Reduction;
  }
  return isStored && isReduced;
}

/// Whether an op on the statistics of rows, such as what a norm's weights are multiplied with, serves only sums of the
/// other dimensions. These compute it, so that it is not stored: they read what it reads, and the statistics.
bool GroupPlan::isLeftToColumns(linalg::LinalgOp op, Operation *statistics) const {
  auto made = dyn_cast<linalg::LinalgOp>(statistics);
  if (!tilePrograms || !made || roleOf(op) != TensorRole::Elementwise || op->getNumResults() != 1)
    return false;
  const Group &rows = *groupOf(made);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (rows.kind() != group::Kind::Row ||
      cast<RankedTensorType>(made->getResult(0).getType()).getRank() >= type.getRank())
    return false;
  auto keepsRows = [&](linalg::LinalgOp sum, OpOperand &summed) {
    return llvm::any_of(rows.ops, [&](linalg::LinalgOp other) {
      return roleOf(other) == TensorRole::Reduction &&
             llvm::any_of(other.getDpsInputOperands(), [&](OpOperand *operand) {
               return isa<RankedTensorType>(operand->get().getType()) && readsAll(other, *operand) &&
                      keptDimensions(other, *operand) == keptDimensions(sum, summed);
             });
    });
  };
  SmallVector<Operation *> pending{op};
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val()->getUses()) {
      auto user = groupOf(use.getOwner()) ? dyn_cast<linalg::LinalgOp>(use.getOwner()) : linalg::LinalgOp();
      if (!user || !user.isDpsInput(&use) || use.get().getType() != type || !readsAll(user, use))
        return false;
      if (roleOf(user) == TensorRole::Elementwise)
        pending.push_back(user);
      else if (roleOf(user) != TensorRole::Reduction || keepsRows(user, use) || (columnSums && isColumnSum(user)))
        return false;
    }
  return !op->use_empty();
}

/// An op joins what makes its operands: first a product, whose result is in registers only once.
void GroupPlan::joinProducers(linalg::LinalgOp op) {
  bool isProduct = roleOf(op) == TensorRole::Contraction || roleOf(op) == TensorRole::Other;
  auto rank = [&](unsigned group) {
    const Group &candidate = table[group];
    return candidate.has(TensorRole::Contraction) || candidate.has(TensorRole::Other) ? 0
           : candidate.has(TensorRole::Reduction)                                     ? 1
                                                                                      : 2;
  };
  SmallVector<unsigned> producers;
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *made = operand.get().getDefiningOp();
    if (made && groupOf(made) && made->getBlock() == &block && (!isProduct || op.isDpsInit(&operand)) &&
        !isLeftToRows(op, made) && !isLeftToColumns(op, made))
      producers.push_back(number.lookup(made));
  }
  llvm::stable_sort(producers, [&](unsigned a, unsigned b) { return rank(groupNumber[a]) < rank(groupNumber[b]); });
  for (unsigned producer : producers)
    merge(groupNumber[producer], groupNumber[number.lookup(op)]);
}

/// What a scan is of joins it unless it is part of another kernel.
void GroupPlan::joinScanned(group::ScanOp scan) {
  Operation *made = scan.getSource().getDefiningOp();
  if (made && made->getBlock() == &block && groupOf(made))
    merge(groupNumber[number.lookup(made)], groupNumber[number.lookup(scan)]);
}

void GroupPlan::form() {
  SmallVector<linalg::LinalgOp> members;
  for (Operation *op : ops)
    if (const Group *group = groupOf(op); group && isa<linalg::LinalgOp>(op))
      members.push_back(cast<linalg::LinalgOp>(op));
  for (linalg::LinalgOp op : members)
    joinProducers(op);
  for (Operation *op : ops)
    if (auto scan = dyn_cast<group::ScanOp>(op))
      joinScanned(scan);
  // What has not joined a producer of its own is left to its consumers, which are joined last to first; a merge may
  // permit another.
  for (bool changes = true; changes;) {
    changes = false;
    for (linalg::LinalgOp op : llvm::reverse(members))
      for (OpOperand &operand : op->getOpOperands())
        if (Operation *made = operand.get().getDefiningOp(); made && groupOf(made))
          changes |= merge(groupNumber[number.lookup(made)], groupNumber[number.lookup(op)]);
  }
  for (linalg::LinalgOp op : members)
    joinSiblings(op);
}

/// A reduction joins an earlier one, in another group of rows, if both, or what is computed for them alone, read all of
/// the same operand along the same rows: such as the sums of columns that a norm and a layer before it have for
/// gradients. A sum of columns also joins rows, which read the operand, and then a kernel has both.
void GroupPlan::joinSiblings(linalg::LinalgOp op) {
  if (roleOf(op) != TensorRole::Reduction)
    return;
  // So that they are made in parts together, or in one each.
  auto hasAsMany = [&](const Group &group) {
    return llvm::all_of(group.ops, [&](linalg::LinalgOp other) {
      return roleOf(other) != TensorRole::Reduction ||
             iterations(op, utils::IteratorType::parallel) == iterations(other, utils::IteratorType::parallel);
    });
  };
  bool mayRide = columnSums && isColumnSum(op);
  auto join = [&](linalg::LinalgOp reader, OpOperand &operand, OpOperand &use) {
    auto other = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!other || !groupOf(other) || !readsAll(reader, operand) || !other.isDpsInput(&use) || !readsAll(other, use))
      return;
    unsigned others = groupNumber[number.lookup(other)], own = groupNumber[number.lookup(op)];
    if (others == own || table[others].kind() != group::Kind::Row || table[own].kind() != group::Kind::Row)
      return;
    bool isEarlier = number.lookup(other) < number.lookup(op) && (!tilePrograms || hasAsMany(table[others]));
    if (isEarlier || (mayRide && !llvm::all_of(table[others].ops, [](linalg::LinalgOp each) {
                        return roleOf(each) != TensorRole::Reduction || isColumnSum(each);
                      })))
      merge(others, own);
  };
  SmallVector<linalg::LinalgOp> readers{op};
  while (!readers.empty()) {
    linalg::LinalgOp reader = readers.pop_back_val();
    for (OpOperand *operand : reader.getDpsInputOperands()) {
      for (OpOperand &use : operand->get().getUses())
        join(reader, *operand, use);
      auto made = operand->get().getDefiningOp<linalg::LinalgOp>();
      if (made && groupOf(made) == groupOf(op) && made->hasOneUse() && roleOf(made) == TensorRole::Elementwise)
        readers.push_back(made);
    }
  }
}
} // namespace lispier
