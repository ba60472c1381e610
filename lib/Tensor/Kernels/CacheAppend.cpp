//===- CacheAppend.cpp - writes to caches as part of attention ------------===//
#include "CacheAppend.h"
#include "Formulas/TensorFormulas.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// What writes new rows to a cache before attention reads it: `rows` [tokens, heads, size] go to `cache` [heads,
/// positions, size] from the position of the first token on.
struct CacheWrite {
  Operation *write;
  Value part;                  ///< Of the cache, that it writes.
  Value source;                ///< What the rows are a view of.
  SmallVector<unsigned> order; ///< Its dimensions as [tokens, heads, size]; without tokens if there is one.
  Value cache;

  /// The rows as [tokens, heads, size].
  Value rows(OpBuilder &b, Location loc) const {
    if (order.size() == 3)
      return asHeads(b, loc, source, order);
    return withOneToken(b, loc, source);
  }
};

/// Whether `offset` is the number that is in `position` when `attention` reads it.
bool isNumberIn(OpFoldResult offset, Value position, Operation *attention) {
  auto value = dyn_cast<Value>(offset);
  while (auto cast = value ? value.getDefiningOp<arith::IndexCastOp>() : arith::IndexCastOp())
    value = cast.getIn();
  auto load = value ? value.getDefiningOp<memref::LoadOp>() : memref::LoadOp();
  return load && rootOf(load.getMemref()) == rootOf(position) &&
         llvm::all_of(load.getIndices(), [](Value index) { return isConstantIntValue(index, 0); }) &&
         !mayChangeBetween(load, attention, position);
}

/// Whether the size is two times the other, as of two halves that are joined.
bool isTwice(OpFoldResult size, OpFoldResult half) {
  auto value = dyn_cast_if_present<Value>(size);
  auto sum = value ? value.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && isSameSize(sum.getLhs(), half) && isSameSize(sum.getRhs(), half);
}

/// Whether the size is known to be that of the memref's dimension, also before reshapes that keep it.
bool isSizeOfMemory(Value memref, unsigned dimension, OpFoldResult size) {
  if (isSameSize(knownSize(memref, dimension), size) || isSizeOf(size, memref, dimension))
    return true;
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    for (auto [before, part] : llvm::enumerate(expand.getReassociationIndices()))
      if (part.size() == 1 && part[0] == int64_t(dimension))
        return isSizeOfMemory(expand.getSrc(), before, size);
  auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>();
  ReassociationIndices joined = collapse ? collapse.getReassociationIndices()[dimension] : ReassociationIndices();
  return joined.size() == 2 && collapse.getSrcType().getDimSize(joined[0]) == 2 &&
         isTwice(size, knownSize(collapse.getSrc(), joined[1]));
}

/// Whether `part` is what `cache` [heads, positions, size] has from the first token's position on, for `tokens` tokens:
/// of all heads, which are as many and as large as those of the queries.
bool isPartFromPosition(Value part, Value cache, nn::AttentionOp attention, const QueryHeads &queries,
                        OpFoldResult tokens) {
  Value whole = wholeOf(cache);
  std::optional<MemoryPart> all = partOf(cache, whole),
                            own = wholeOf(part) == whole ? partOf(part, whole) : std::nullopt;
  if (!all || !own || all->places.size() != 3)
    return false;
  auto isWholeSize = [&](int64_t at) { // `cache` has all of the dimension.
    return !all->sizes[at] || all->sizes[at] == knownSize(whole, at);
  };
  for (auto [dimension, offset] : llvm::enumerate(own->offsets)) {
    int64_t at = dimension;
    OpFoldResult size = own->sizes[at];
    bool isWhole = isSameSize(offset, all->offsets[at]) &&
                   (isSameSize(size, all->sizes[at]) ||
                    (at == all->places[0] && isSizeOfMemory(queries.memory, queries.heads, size)) ||
                    (at == all->places[2] && isSizeOfMemory(queries.memory, queries.size, size)));
    bool isOfTokens = at == all->places[1] && isConstantIntValue(all->offsets[at], 0) &&
                      isNumberIn(offset, attention.getPosition(), attention) && isSameSize(size, tokens);
    if (at == all->places[1] ? !isOfTokens : !isWhole)
      return false;
  }
  return true;
}

/// What the op writes, if it copies to it: a group, or for one token, whose rows need no other order, a plain copy.
Value writtenBy(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getTarget();
  auto kernel = dyn_cast<group::KernelOp>(op);
  bool isCopy = kernel && kernel.getKind() == group::Kind::Copy && kernel.getInits().size() == 1;
  return isCopy ? kernel.getInits()[0] : Value();
}

/// The rows that such an op copies to memory of [heads, tokens, size], or [heads, size].
std::optional<CacheWrite> rowsWritten(Operation *op) {
  Value part = writtenBy(op);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    bool hasTokens = cast<MemRefType>(part.getType()).getRank() == 3;
    SmallVector<unsigned> order = hasTokens ? SmallVector<unsigned>{1, 0, 2} : SmallVector<unsigned>{0, 1};
    return CacheWrite{op, part, copy.getSource(), order, {}};
  }
  auto kernel = cast<group::KernelOp>(op);
  auto made = kernel.yieldOp().getResults()[0].getDefiningOp<linalg::LinalgOp>();
  std::optional<Multiple> rows = made ? multipleOf(made) : std::nullopt;
  Value source = rows && rows->factor == 1 ? memrefOf(kernel, rows->operand->get()) : Value();
  if (!source || (rows->places.size() != 3 && rows->places.size() != 2))
    return std::nullopt;
  SmallVector<unsigned> order(rows->places);
  if (order.size() == 3)
    std::swap(order[0], order[1]);
  return CacheWrite{op, part, source, order, {}};
}

/// The op that last writes the rows of the new tokens to the cache that `read` [positions, heads, size] is a view of.
std::optional<CacheWrite> findCacheWrite(nn::AttentionOp attention, const QueryHeads &queries, Value read) {
  auto transpose = read.getDefiningOp<memref::TransposeOp>();
  if (!transpose ||
      transpose.getPermutation() != AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0, 2}, read.getContext()))
    return std::nullopt;
  Value cache = transpose.getIn();
  OpFoldResult tokens = knownSize(attention.getQ(), 0);
  for (Operation *op = attention->getPrevNode(); tokens && op; op = op->getPrevNode()) {
    if (auto copy = dyn_cast<memref::CopyOp>(op); copy && isSameMemory(copy.getSource(), copy.getTarget()))
      continue;
    Value part = writtenBy(op);
    if (!part || !isPartFromPosition(part, cache, attention, queries, tokens)) {
      if (mayWrite(*op, cache))
        return std::nullopt;
      continue;
    }
    std::optional<CacheWrite> found = rowsWritten(op);
    if (!found)
      return std::nullopt;
    auto between = llvm::make_range(std::next(op->getIterator()), attention->getIterator());
    if (llvm::any_of(between, [&](Operation &each) { return mayWrite(each, found->source); }))
      return std::nullopt;
    found->cache = cache;
    return found;
  }
  return std::nullopt;
}

/// Whether an op between the write and the attention needs the cache as it is after the write.
bool isReadBefore(const CacheWrite &cache, nn::AttentionOp attention) {
  return llvm::any_of(llvm::make_range(std::next(cache.write->getIterator()), attention->getIterator()),
                      [&](Operation &op) { return uses(op, cache.cache); });
}

/// Erases the checks of the number that the load reads, if nothing but checks needs it.
void eraseChecksOf(memref::LoadOp load) {
  llvm::SetVector<Operation *> users, checks;
  users.insert(load);
  for (size_t i = 0; i < users.size(); ++i)
    for (Operation *user : users[i]->getUsers()) {
      auto around = user->getParentOfType<scf::IfOp>();
      if (isErrorCheck(user))
        checks.insert(user);
      else if (around && isErrorCheck(around))
        checks.insert(around);
      else if (isMemoryEffectFree(user) && user->getNumRegions() == 0 && !user->hasTrait<OpTrait::IsTerminator>())
        users.insert(user);
      else
        return;
    }
  for (Operation *check : checks)
    check->erase();
  auto eraseUnused = [](Operation *user) {
    bool isUnused = user->use_empty();
    if (isUnused)
      user->erase();
    return isUnused;
  };
  while (users.remove_if(eraseUnused))
    continue;
}
} // namespace

nn::AttentionOp appendToCaches(nn::AttentionOp attention, const QueryHeads &queries, bool onGpu) {
  if (attention.getMask() != nn::Mask::Causal || !attention.getPosition())
    return {};
  std::optional<CacheWrite> keys = findCacheWrite(attention, queries, attention.getK());
  std::optional<CacheWrite> values = findCacheWrite(attention, queries, attention.getV());
  auto hasRows = [](const std::optional<CacheWrite> &each) {
    return each && each->order.back() == each->order.size() - 1; // Numbers of a head are one after the other.
  };
  if (!hasRows(keys) || !hasRows(values) || rootOf(keys->cache) == rootOf(values->cache))
    return {};
  if (isReadBefore(*keys, attention) || isReadBefore(*values, attention))
    return {};
  OpBuilder b(attention);
  Location loc = attention.getLoc();
  Value k = keys->rows(b, loc), v = values->rows(b, loc);
  auto cached = nn::AttentionOp::create(b, loc, attention.getQ(), k, v, keys->cache, values->cache,
                                        attention.getPosition(), attention.getWindowSize(), attention.getOut(),
                                        attention.getMask(), attention.getWindowAttr(), attention.getScaleAttr());
  cached->setDiscardableAttrs(attention->getDiscardableAttrDictionary());
  attention.erase();
  for (CacheWrite *each : {&*keys, &*values}) {
    for (Operation *user : llvm::make_early_inc_range(each->part.getUsers()))
      if (auto copy = dyn_cast<memref::CopyOp>(user);
          copy && user != each->write && isSameMemory(copy.getSource(), copy.getTarget()))
        copy.erase();
    each->write->erase();
  }
  if (!onGpu)
    return cached;
  SmallVector<memref::LoadOp> loads;
  for (Operation &op : *cached->getBlock())
    if (auto load = dyn_cast<memref::LoadOp>(op); load && rootOf(load.getMemref()) == rootOf(cached.getPosition()))
      loads.push_back(load);
  llvm::for_each(loads, eraseChecksOf);
  return cached;
}
} // namespace lispier
