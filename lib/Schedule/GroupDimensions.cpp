//===- GroupDimensions.cpp - the dimensions that a group's ops share ------===//
#include "GroupDimensions.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
constexpr unsigned kNone = ~0u;

unsigned positionOf(AffineExpr result) { return cast<AffineDimExpr>(result).getPosition(); }
} // namespace

GroupDimensions::GroupDimensions(group::KernelOp kernel, const PaddedReads &padded) : kernel(kernel) {
  Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    addNodes(argument);
  for (Operation &op : body)
    for (Value result : op.getResults())
      addNodes(result);
  for (auto &[tensor, read] : padded)
    for (const PaddedDimension &dimension : read.dimensions)
      if (dimension.window) {
        placesOfWindows.push_back({tensor, dimension.place});
        windows.push_back({tensor, *dimension.window});
      }
}

std::optional<GroupDimensions> GroupDimensions::of(group::KernelOp kernel, const PaddedReads &padded,
                                                   std::string &whyNot) {
  GroupDimensions found(kernel, padded);
  if (!found.joinSizes(whyNot))
    return std::nullopt;
  for (auto empty : kernel.getBody().front().getOps<tensor::EmptyOp>())
    found.joinEmpty(empty);
  found.joinColumns();
  found.joinReductions();
  found.classes.compress();
  found.findSizes();
  found.chainClasses();
  found.nameTensors();
  found.nameLoops();
  return found;
}

//===----------------------------------------------------------------------===//
// Sizes that are equal
//===----------------------------------------------------------------------===//

void GroupDimensions::addNodes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return;
  firstNode[tensor] = nodes.size();
  for (unsigned position = 0; position < type.getRank(); ++position)
    nodes.push_back({tensor, position});
}

bool GroupDimensions::joinSizes(std::string &whyNot) {
  Block &body = kernel.getBody().front();
  classes.grow(nodes.size());
  for (Operation &op : body.without_terminator())
    if (!joinBodyOp(&op)) {
      whyNot = ("no rule makes tiles of `" + op.getName().getStringRef() + "`").str();
      return false;
    }
  for (auto [result, init] :
       llvm::zip(body.getTerminator()->getOperands(), body.getArguments().take_back(kernel.getInits().size())))
    for (unsigned position = 0; position < cast<RankedTensorType>(init.getType()).getRank(); ++position)
      classes.join(firstNode[result] + position, firstNode[init] + position);
  keepApart();
  return true;
}

bool GroupDimensions::joinBodyOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!llvm::all_of(linalgOp.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }))
      return false;
    joinOp(linalgOp);
    return true;
  }
  if (auto scan = dyn_cast<group::ScanOp>(op)) {
    for (unsigned position = 0; position < cast<ShapedType>(scan.getSource().getType()).getRank(); ++position) {
      classes.join(firstNode[scan.getSource()] + position, firstNode[scan.getResult()] + position);
      classes.join(firstNode[scan.getInit()] + position, firstNode[scan.getResult()] + position);
    }
    return true;
  }
  if (isa<tensor::EmptyOp>(op))
    return true; // Its sizes say less than the ops that use it, which come first.
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    for (unsigned position = 0; position < mlir::cast<RankedTensorType>(cast.getType()).getRank(); ++position)
      classes.join(firstNode[cast.getSource()] + position, firstNode[cast.getDest()] + position);
    return true;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return joinReshape(expand.getResult(), expand.getSrc(), expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return joinReshape(collapse.getSrc(), collapse.getResult(), collapse.getReassociationIndices());
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getNumResults() == 1 && (!isTensor(op->getResult(0).getType()) || matchPattern(op, m_Constant()));
  return llvm::none_of(op->getResultTypes(), isTensor) && op->getNumRegions() == 0;
}

void GroupDimensions::joinOp(linalg::LinalgOp op) {
  SmallVector<std::optional<unsigned>> ofLoop(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!firstNode.contains(operand.get()))
      continue;
    for (auto [position, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      std::optional<unsigned> &known = ofLoop[positionOf(result)];
      unsigned own = firstNodeOf(operand) + position;
      known = known ? classes.join(*known, own) : own;
    }
  }
  for (auto [init, result] : llvm::zip(op.getDpsInitsMutable(), op->getResults()))
    for (unsigned position = 0; position < cast<RankedTensorType>(result.getType()).getRank(); ++position)
      classes.join(firstNodeOf(init) + position, firstNode[result] + position);
}

/// Only dimensions of size 1 may come or go.
bool GroupDimensions::joinReshape(Value expanded, Value collapsed, ArrayRef<ReassociationIndices> parts) {
  auto type = cast<RankedTensorType>(expanded.getType());
  for (auto [position, part] : llvm::enumerate(parts)) {
    SmallVector<int64_t> proper =
        llvm::filter_to_vector(part, [&](int64_t each) { return type.getDimSize(each) != 1; });
    if (proper.size() > 1)
      return false;
    if (!proper.empty())
      classes.join(firstNode[expanded] + proper[0], firstNode[collapsed] + position);
  }
  return true;
}

void GroupDimensions::joinEmpty(tensor::EmptyOp op) {
  RankedTensorType type = op.getType();
  for (unsigned position = 0; position < type.getRank(); ++position) {
    if (!type.isDynamicDim(position))
      continue;
    Value size = op.getDynamicSize(position);
    // Of a square matrix, say of scores of a text with itself, rows and columns are walked by loops of their own, which
    // say what is what.
    if (llvm::count(op.getDynamicSizes(), size) > 1)
      continue;
    unsigned own = firstNode[op] + position;
    if (auto dim = size.getDefiningOp<tensor::DimOp>();
        dim && dim.getConstantIndex() && firstNode.contains(dim.getSource()))
      (void)joinIfApart({{own, firstNode[dim.getSource()] + *dim.getConstantIndex()}});
    auto *known = llvm::find_if(ofSizeValue, [&](auto &each) { return each.first == size; });
    if (known == ofSizeValue.end() || !joinIfApart({{own, known->second}}))
      ofSizeValue.push_back({size, own});
  }
}

/// Results have rows as long as those that are reduced: x + mean(y) of the same sizes. They are one dimension, although
/// no op walks both, so that a program reduces a row and then makes all of a result's.
void GroupDimensions::joinColumns() {
  auto sizeOf = [&](unsigned number) {
    return cast<RankedTensorType>(nodes[number].first.getType()).getDimSize(nodes[number].second);
  };
  auto joinWithResults = [&](unsigned reduced) {
    for (BlockArgument init : kernel.getBody().front().getArguments().take_back(kernel.getInits().size()))
      for (unsigned position = 0; position < cast<RankedTensorType>(init.getType()).getRank(); ++position)
        if (int64_t size = sizeOf(firstNode[init] + position); !ShapedType::isDynamic(size) && size == sizeOf(reduced))
          (void)joinIfApart({{firstNode[init] + position, reduced}});
  };
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (roleOf(op) == TensorRole::Reduction)
      for (OpOperand *operand : op.getDpsInputOperands())
        if (firstNode.contains(operand->get()))
          for (auto [position, result] : llvm::enumerate(op.getMatchingIndexingMap(operand).getResults()))
            if (op.getIteratorTypesArray()[positionOf(result)] == utils::IteratorType::reduction)
              joinWithResults(firstNodeOf(*operand) + position);
}

/// Reductions of tensors of equal sizes, such as sums of columns of several tensors, are along the same dimensions, and
/// so are their results, although no op walks both.
void GroupDimensions::joinReductions() {
  auto nodesOf = [&](linalg::LinalgOp op) {
    SmallVector<std::optional<unsigned>> ofLoop(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands())
      if (firstNode.contains(operand.get()))
        for (auto [position, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          ofLoop[positionOf(result)] = firstNodeOf(operand) + position;
    return ofLoop;
  };
  linalg::LinalgOp first;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (roleOf(op) != TensorRole::Reduction || llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
      continue;
    if (!first)
      first = op;
    if (op == first || op.getStaticLoopRanges() != first.getStaticLoopRanges() ||
        op.getIteratorTypesArray() != first.getIteratorTypesArray() ||
        op.getIndexingMapsArray().back() != first.getIndexingMapsArray().back())
      continue;
    SmallVector<std::pair<unsigned, unsigned>> pairs;
    for (auto [own, other] : llvm::zip(nodesOf(op), nodesOf(first)))
      if (own && other)
        pairs.push_back({*own, *other});
    (void)joinIfApart(pairs);
  }
}

//===----------------------------------------------------------------------===//
// Reads of one operand
//===----------------------------------------------------------------------===//

/// Joins sizes, but not those of the reads of an input.
bool GroupDimensions::joinReads(std::string &whyNot) {
  for (BlockArgument input : kernel.getBody().front().getArguments().drop_back(kernel.getInits().size())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    for (OpOperand &read : input.getUses()) {
      if (!type || !isa<linalg::LinalgOp>(read.getOwner()))
        continue;
      firstNodeOfRead[&read] = nodes.size();
      for (unsigned position = 0; position < type.getRank(); ++position)
        nodes.push_back({input, position});
    }
  }
  return joinSizes(whyNot);
}

unsigned GroupDimensions::firstNodeOf(OpOperand &read) const {
  auto own = firstNodeOfRead.find(&read);
  return own != firstNodeOfRead.end() ? own->second : firstNode.lookup(read.get());
}

/// Two loops of an op are not one dimension, as tiles are of different places along them; nor is what a product sums a
/// dimension of a result, which the grid walks.
void GroupDimensions::keepApart() {
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    llvm::MapVector<unsigned, unsigned> ofLoop;
    for (OpOperand &operand : op->getOpOperands())
      if (firstNode.contains(operand.get()))
        for (auto [position, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          ofLoop.insert({positionOf(result), firstNodeOf(operand) + position});
    for (auto &[loop, own] : ofLoop)
      for (auto &[other, node] : ofLoop)
        if (loop < other)
          apart.push_back({own, node});
    if (roleOf(op) != TensorRole::Contraction)
      continue;
    for (auto &[loop, own] : ofLoop)
      if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
        for (BlockArgument init : kernel.getBody().front().getArguments().take_back(kernel.getInits().size()))
          for (unsigned position = 0; position < cast<RankedTensorType>(init.getType()).getRank(); ++position)
            apart.push_back({own, firstNode[init] + position});
  }
}

/// Joins all pairs, or none if that made one dimension of what is to be apart.
bool GroupDimensions::joinIfApart(ArrayRef<std::pair<unsigned, unsigned>> pairs) {
  auto isOfOne = [&](unsigned node) {
    return cast<RankedTensorType>(nodes[node].first.getType()).getDimSize(nodes[node].second) == 1;
  };
  llvm::IntEqClasses joined = classes;
  for (auto [first, second] : pairs) {
    unsigned one = joined.findLeader(first), other = joined.findLeader(second);
    if (one == other)
      continue;
    if (!isOfOne(first) && !isOfOne(second) && llvm::any_of(apart, [&](auto &each) {
          unsigned own = joined.findLeader(each.first), node = joined.findLeader(each.second);
          return (own == one && node == other) || (own == other && node == one);
        }))
      return false;
    joined.join(first, second);
  }
  classes = std::move(joined);
  return true;
}

/// Gives each use of a tensor that is made of nothing, such as zeros, a tensor of its own.
static void separateSources(Block &body) {
  auto isSource = [](Operation &op) {
    auto made = dyn_cast<linalg::LinalgOp>(op);
    return isa<tensor::EmptyOp>(op) ||
           (made && op.getNumResults() == 1 && roleOf(made) == TensorRole::Elementwise &&
            llvm::none_of(made.getDpsInputs(), [](Value input) { return isa<TensorType>(input.getType()); }));
  };
  SmallVector<Operation *> sources;
  for (Operation &op : body)
    if (isSource(op))
      sources.push_back(&op);
  for (Operation *source : llvm::reverse(sources)) // What one of them begins with comes after it.
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(source->getUses())))
      use.set(OpBuilder(source).clone(*source)->getResult(0));
}

void GroupDimensions::separateReads(group::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  std::string whyNot;
  {
    GroupDimensions found(kernel, PaddedReads());
    if (!found.joinReads(whyNot))
      return;
    if (llvm::any_of(found.apart, [&](auto &each) {
          return found.classes.findLeader(each.first) == found.classes.findLeader(each.second);
        }))
      separateSources(body);
  }
  GroupDimensions found(kernel, PaddedReads());
  if (!found.joinReads(whyNot))
    return;
  SmallVector<BlockArgument> inputs(body.getArguments().drop_back(kernel.getInits().size()));
  for (BlockArgument input : inputs) {
    SmallVector<std::pair<BlockArgument, unsigned>> arguments{{input, found.firstNode.lookup(input)}};
    SmallVector<OpOperand *> reads;
    for (OpOperand &read : input.getUses())
      if (found.firstNodeOfRead.contains(&read))
        reads.push_back(&read);
    for (OpOperand *read : llvm::reverse(reads)) { // In the order of the program.
      unsigned own = found.firstNodeOf(*read);
      auto *along = llvm::find_if(arguments, [&](auto &argument) {
        SmallVector<std::pair<unsigned, unsigned>> pairs;
        for (unsigned position = 0; position < cast<RankedTensorType>(input.getType()).getRank(); ++position)
          pairs.push_back({argument.second + position, own + position});
        return found.joinIfApart(pairs);
      });
      if (along == arguments.end()) {
        unsigned last = kernel.getInputs().size();
        kernel.getInputsMutable().append(kernel.getInputs()[input.getArgNumber()]);
        arguments.push_back({body.insertArgument(last, input.getType(), input.getLoc()), own});
        along = &arguments.back();
      }
      read->set(along->first);
    }
  }
}

void GroupDimensions::findSizes() {
  classSizes.assign(classes.getNumClasses(), ShapedType::kDynamic);
  for (auto [number, each] : llvm::enumerate(nodes))
    if (int64_t size = cast<RankedTensorType>(each.first.getType()).getDimSize(each.second);
        !ShapedType::isDynamic(size))
      classSizes[classes[number]] = size;
}

//===----------------------------------------------------------------------===//
// Dimensions: chains of classes
//===----------------------------------------------------------------------===//

std::optional<unsigned> GroupDimensions::classOfIterator(linalg::LinalgOp op, unsigned iterator) const {
  for (OpOperand &operand : op->getOpOperands())
    if (firstNode.contains(operand.get()))
      for (auto [position, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (positionOf(result) == iterator)
          return node(operand.get(), position);
  return std::nullopt;
}

MemRefType GroupDimensions::withUnits(Value argument, MemRefType type) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [position, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size) && isUnit(node(argument, position)))
      size = 1;
  return MemRefType::Builder(type).setShape(shape);
}

/// Removes neighbours that are no chain although tensors have them side by side.
void GroupDimensions::forbidChains() {
  auto cutAfter = [&](unsigned sizeClass) {
    if (auto found = next.find(sizeClass); found != next.end())
      found->second = kNone;
  };
  auto isolate = [&](unsigned sizeClass) {
    cutAfter(sizeClass);
    if (auto found = previous.find(sizeClass); found != previous.end())
      found->second = kNone;
  };
  Block &body = kernel.getBody().front();
  for (auto [operand, argument] : llvm::zip(kernel->getOperands(), body.getArguments())) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (type)
      type = withUnits(argument, type);
    ReassociationIndices part; // From one dimension to the next that is not of size 1.
    for (int64_t position = 0; type && position < type.getRank(); ++position) {
      part.push_back(position);
      if (isUnit(node(argument, position)))
        continue;
      int64_t first = part.front();
      if (part.size() > 1 && !isUnit(node(argument, first)) &&
          !memref::CollapseShapeOp::isGuaranteedCollapsible(type, {part}))
        cutAfter(node(argument, first));
      part = {position};
    }
  }
  for (auto [tensor, position] : placesOfWindows) // What follows a place does not move with the border.
    if (!isUnit(node(tensor, position)))
      cutAfter(node(tensor, position));
  for (auto [tensor, position] : windows) // It alone says where it meets the border.
    isolate(node(tensor, position));
  for (auto scan : body.getOps<group::ScanOp>())
    isolate(node(scan.getSource(), scan.getDimension()));
  for (auto op : body.getOps<linalg::LinalgOp>()) {
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    llvm::DenseMap<unsigned, utils::IteratorType> types;
    for (unsigned iterator = 0; iterator < op.getNumLoops(); ++iterator) {
      std::optional<unsigned> own = classOfIterator(op, iterator);
      if (own && !types.try_emplace(*own, iterators[iterator]).second)
        isolate(*own); // Two loops of one size, such as those of a product with its own transpose.
    }
    for (auto &[own, type] : types)
      if (auto after = next.find(own);
          after != next.end() && types.contains(after->second) && types.lookup(after->second) != type)
        cutAfter(own);
    op->walk([&](linalg::IndexOp index) {
      if (std::optional<unsigned> own = classOfIterator(op, index.getDim()))
        isolate(*own);
    });
    op->walk([&](tensor::ExtractOp extract) { // Reads the tensor in its own shape.
      for (unsigned position = 0; position < extract.getTensor().getType().getRank(); ++position)
        if (firstNode.contains(extract.getTensor()))
          isolate(node(extract.getTensor(), position));
    });
  }
}

void GroupDimensions::chainClasses() {
  auto note = [](llvm::DenseMap<unsigned, unsigned> &neighbours, unsigned of, unsigned neighbour) {
    auto [known, isNew] = neighbours.try_emplace(of, neighbour);
    if (!isNew && known->second != neighbour)
      known->second = kNone;
  };
  for (auto &[tensor, first] : firstNode) {
    SmallVector<unsigned> proper;
    for (unsigned position = 0; position < cast<RankedTensorType>(tensor.getType()).getRank(); ++position)
      if (!isUnit(node(tensor, position)))
        proper.push_back(node(tensor, position));
    for (auto [i, own] : llvm::enumerate(proper)) {
      note(next, own, i + 1 < proper.size() ? proper[i + 1] : kNone);
      note(previous, own, i ? proper[i - 1] : kNone);
    }
  }
  forbidChains();
  auto continues = [&](unsigned own) { // Whether it is in a chain with the one after.
    unsigned after = next.lookup(own);
    return next.contains(own) && after != kNone && previous.lookup(after) == own;
  };
  for (unsigned own = 0; own < classSizes.size(); ++own) {
    unsigned before = previous.contains(own) ? previous.lookup(own) : kNone;
    if (isUnit(own) || (before != kNone && continues(before) && next.lookup(before) == own))
      continue;
    int64_t size = 1;
    for (unsigned each = own;; each = next.lookup(each)) {
      dimensionOf[each] = sizes.size();
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(classSizes[each]) ? ShapedType::kDynamic
                                                                                    : size * classSizes[each];
      if (!continues(each))
        break;
    }
    sizes.push_back(size);
  }
}

void GroupDimensions::nameTensors() {
  for (auto &[tensor, first] : firstNode) {
    TensorDimensions &own = tensors[tensor];
    ReassociationIndices waiting; // Of size 1, before the first dimension.
    for (int64_t position = 0; position < cast<RankedTensorType>(tensor.getType()).getRank(); ++position) {
      unsigned sizeClass = node(tensor, position);
      bool continues = !own.dimensions.empty() && !isUnit(sizeClass) && previous.lookup(sizeClass) != kNone &&
                       own.dimensions.back() == dimensionOf.lookup(sizeClass);
      if (isUnit(sizeClass) || continues) {
        (own.parts.empty() ? waiting : own.parts.back()).push_back(position);
        continue;
      }
      own.dimensions.push_back(dimensionOf.lookup(sizeClass));
      waiting.push_back(position);
      own.parts.push_back(std::exchange(waiting, {}));
    }
  }
}

void GroupDimensions::nameLoops() {
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    Loops &own = ops[op];
    own.ofIterator.resize(op.getNumLoops());
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    // The head of a chain comes first, whatever the order of the op's loops.
    llvm::DenseMap<unsigned, unsigned> loopOfChain;
    for (unsigned iterator = 0; iterator < op.getNumLoops(); ++iterator) {
      std::optional<unsigned> sizeClass = classOfIterator(op, iterator);
      if (!sizeClass || isUnit(*sizeClass))
        continue;
      unsigned dimension = dimensionOf.lookup(*sizeClass);
      bool isChained = llvm::count_if(dimensionOf, [&](auto &each) { return each.second == dimension; }) > 1;
      auto [known, isNew] = loopOfChain.try_emplace(dimension, own.dimensions.size());
      own.ofIterator[iterator] = isChained ? known->second : own.dimensions.size();
      if (isChained && !isNew)
        continue;
      own.dimensions.push_back(dimension);
      own.reduced.push_back(iterators[iterator] == utils::IteratorType::reduction);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      SmallVector<unsigned> &loops = own.operands.emplace_back();
      for (AffineExpr result : op.getMatchingIndexingMap(&operand).getResults())
        if (std::optional<unsigned> loop = own.ofIterator[positionOf(result)];
            loop && !llvm::is_contained(loops, *loop))
          loops.push_back(*loop);
    }
  }
}

SmallVector<OpFoldResult> GroupDimensions::sizeFactors(unsigned dimension) const {
  SmallVector<OpFoldResult> factors;
  for (unsigned sizeClass = 0; sizeClass < classSizes.size(); ++sizeClass) {
    auto own = dimensionOf.find(sizeClass);
    if (own == dimensionOf.end() || own->second != dimension)
      continue;
    if (!ShapedType::isDynamic(classSizes[sizeClass])) {
      factors.push_back(IntegerAttr::get(IndexType::get(kernel.getContext()), classSizes[sizeClass]));
      continue;
    }
    auto *known = llvm::find_if(ofSizeValue, [&](auto &each) { return classes[each.second] == sizeClass; });
    if (known == ofSizeValue.end())
      return {};
    factors.push_back(known->first);
  }
  return factors;
}

std::pair<BlockArgument, unsigned> GroupDimensions::argumentWith(unsigned dimension) const {
  auto arguments = kernel.getBody().front().getArguments();
  size_t inits = kernel.getInits().size();
  SmallVector<BlockArgument> ordered(arguments.take_back(inits));
  llvm::append_range(ordered, arguments.drop_back(inits));
  for (BlockArgument argument : ordered)
    if (auto found = tensors.find(argument); found != tensors.end())
      if (auto *at = llvm::find(found->second.dimensions, dimension); at != found->second.dimensions.end())
        return {argument, at - found->second.dimensions.begin()};
  return {nullptr, 0};
}
} // namespace lispier::tensors
