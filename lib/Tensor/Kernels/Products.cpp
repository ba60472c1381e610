//===- Products.cpp - products that have a hand-written kernel ------------===//
#include "Products.h"
#include "Formulas/TensorFormulas.h"
#include "GroupNorm.h"
#include "Groups/NamedSizes.h"
#include "RowViews.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/NN/NN.h"
#include "lispier/Tensor/Groups/LongSums.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// The weights that one nn.linears takes.
constexpr size_t kMostProducts = 3;

/// What a group computes, as nn.linear does. x, the residual and the result are matrices of rows.
struct Product {
  group::KernelOp kernel;
  Value x, weight, bias, residual, out; ///< Null if there is none.
  nn::Activation activation = nn::Activation::None;
  bool ofSeveral = false; ///< Several rows have a hand-written kernel; else one row has.
  int64_t largeFrom = 0;  ///< From so many results on, of sizes that the call knows, the group is computed itself.

  int64_t count() const { return cast<MemRefType>(x.getType()).getDimSize(0); }
  bool isOfAnyCount() const { return ShapedType::isDynamic(count()); }
  /// For any number of rows that there may be.
  bool isWhollyReplaced() const { return ofSeveral || count() == 1; }
  bool mayBeOne() const { return count() == 1 || isOfAnyCount(); }
  bool mayBeJoined() const { return mayBeOne() && !residual && activation == nn::Activation::None; }
  SmallVector<Value> inputs() const {
    return llvm::to_vector(llvm::make_filter_range(ArrayRef{x, weight, bias}, [](Value each) { return bool(each); }));
  }
};

//===----------------------------------------------------------------------===//
// One product
//===----------------------------------------------------------------------===//

/// The only contraction of the body; null if there are none or several.
linalg::LinalgOp contractionIn(group::KernelOp kernel) {
  linalg::LinalgOp found;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (roleOf(op) != TensorRole::Contraction)
      continue;
    if (found)
      return nullptr;
    found = op;
  }
  return found;
}

/// From how many results on a product of 16-bit factors is a wide one, if that depends on sizes that only a call knows;
/// 0 if it is one in all calls, nullopt if in none. Its tiles are copied 16 bytes at a time.
std::optional<int64_t> wideFrom(linalg::LinalgOp product, unsigned summed, bool isAlone, KernelChoice &choice) {
  constexpr int64_t kElementsOfCopy = 8;
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  bool isNarrow = llvm::all_of(product.getDpsInputs(), [](Value each) { return getElementTypeOrSelf(each).isBF16(); });
  int64_t least = choice.wideProduct(isAlone), elements = 1;
  if (!isNarrow || !least || (!ShapedType::isDynamic(sizes[summed]) && sizes[summed] % kElementsOfCopy))
    return std::nullopt;
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (loop != summed && ShapedType::isDynamic(size))
      return least;
    else
      elements *= loop == summed ? 1 : size;
  return elements >= least ? std::optional<int64_t>(0) : std::nullopt;
}

std::optional<Product> productOf(group::KernelOp kernel, KernelChoice &choice) {
  linalg::LinalgOp product = contractionIn(kernel);
  FailureOr<linalg::ContractionDimensions> dims = product && !product->hasAttr(tile::kPrecision)
                                                      ? linalg::inferContractionDims(product)
                                                      : FailureOr<linalg::ContractionDimensions>(failure());
  if (failed(dims) || !dims->batch.empty() || dims->k.size() != 1)
    return std::nullopt;
  // The weight has one row for each column of the result, which is its last dimension.
  std::optional<SmallVector<unsigned>> made = loopDimsOf(product, *product.getDpsInitOperand(0));
  if (!made || made->empty())
    return std::nullopt;
  SmallVector<unsigned> xLoops(ArrayRef(*made).drop_back()), weightLoops{made->back(), dims->k[0]};
  xLoops.push_back(dims->k[0]);
  Product found;
  found.kernel = kernel;
  for (OpOperand *operand : product.getDpsInputOperands()) {
    Value factor = memrefOf(kernel, operand->get());
    std::optional<SmallVector<unsigned>> own = loopDimsOf(product, *operand);
    if (!found.weight && own == weightLoops)
      found.weight = factor;
    else if (own == xLoops)
      found.x = factor;
  }
  std::optional<LinearFormula> formula =
      found.x && found.weight ? linearFormulaOf(product->getResult(0), kernel.yieldOp().getResults()[0]) : std::nullopt;
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!formula || !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return std::nullopt;
  if (std::optional<LongSums> sums = choice.onGpu() ? longSumsOf(kernel, choice.multiprocessors) : std::nullopt;
      sums && sums->isStatic())
    return std::nullopt; // lispier-split-sums makes more programs of it than the hand-written kernel has.
  found.activation = formula->activation;
  found.bias = memrefOf(kernel, formula->bias), found.residual = memrefOf(kernel, formula->residual);
  found.out = kernel.getInits()[0];
  auto typeOf = [](Value memref) { return getElementTypeOrSelf(memref); };
  if ((formula->bias && !found.bias) || (formula->residual && !found.residual) || found.x == found.out ||
      !llvm::all_of(ArrayRef{found.x, found.weight, found.out},
                    [&](Value each) { return nn::isFloat(typeOf(each)); }) ||
      (found.bias && typeOf(found.bias) != typeOf(found.weight)) ||
      (found.residual && typeOf(found.residual) != typeOf(found.out)))
    return std::nullopt;

  OpBuilder b(kernel);
  for (Value *each : {&found.x, &found.residual, &found.out})
    *each = *each ? asRows(b, kernel.getLoc(), *each) : Value();
  bool isView = found.x && found.out && (found.residual || !formula->residual);
  bool isPlain = !found.bias && !formula->residual && found.activation == nn::Activation::None;
  SmallVector<Value> operands{found.x, found.weight, found.bias, found.residual, found.out};
  std::optional<int64_t> wide = wideFrom(product, dims->k[0], isPlain, choice);
  auto severalRows = wide == 0 ? nn::GroupKind::WideProduct : nn::GroupKind::Product;
  found.ofSeveral = isView && found.count() != 1 && choice.has(severalRows, operands, kernel);
  if (found.ofSeveral && wide && !choice.has(nn::GroupKind::WideProduct, operands, kernel))
    found.largeFrom = *wide;
  bool ofOne = isView && found.mayBeOne() && choice.has(nn::GroupKind::OneRowProduct, operands, kernel);
  return ofOne || found.ofSeveral ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The gate of a product's outputs
//===----------------------------------------------------------------------===//

/// A group that multiplies the activated first half of a product's outputs by the second half (Dauphin et al. 2017).
struct ProductGate {
  group::KernelOp kernel;
  Value rows; ///< Its result.
  nn::Activation activation;
};

/// Whether the part has all rows of the outputs and, of their columns, as many as `columns` from `first` on.
bool isOfColumns(const MemoryPart &part, memref::AllocOp outputs, OpFoldResult first, OpFoldResult columns) {
  return isConstantIntValue(part.offsets[0], 0) && isSameSize(part.sizes[0], outputs.getMixedSizes()[0]) &&
         isSameSize(part.offsets[1], first) && isSameSize(part.sizes[1], columns);
}

/// Whether two times as many are all.
bool isHalf(OpFoldResult some, OpFoldResult all) {
  std::optional<int64_t> first = getConstantIntValue(some), second = getConstantIntValue(all);
  auto value = dyn_cast<Value>(some);
  auto quotient = value ? value.getDefiningOp<arith::DivSIOp>() : arith::DivSIOp();
  return first ? second && *second == 2 * *first
               : quotient && isSameSize(quotient.getLhs(), all) && isConstantIntValue(quotient.getRhs(), 2);
}
/// The gate that is all that reads the outputs of the group, a product alone; behind it in its block.
std::optional<ProductGate> gateOf(group::KernelOp product) {
  auto outputs = product.getInits()[0].getDefiningOp<memref::AllocOp>();
  if (!outputs || !outputs->hasAttr(kIntermediateAttr) || outputs.getType().getRank() != 2)
    return std::nullopt;
  group::KernelOp kernel;
  for (Operation *user : usersOf(outputs))
    if (auto reader = dyn_cast<group::KernelOp>(user); reader && reader != product && (!kernel || reader == kernel))
      kernel = reader;
    else if (user != product && !isa<memref::DeallocOp>(user))
      return std::nullopt;
  if (!kernel || kernel.getKind() != group::Kind::Elementwise || kernel->getNumResults() != 0 ||
      kernel.getInits().size() != 1 || kernel->getBlock() != product->getBlock() || !product->isBeforeInBlock(kernel) ||
      !nn::isFloat(getElementTypeOrSelf(kernel.getInits()[0])))
    return std::nullopt;
  std::optional<GateFormula> formula = gateFormulaOf(kernel.yieldOp().getResults()[0]);
  if (!formula)
    return std::nullopt;
  auto partIn = [&](Value argument) {
    Value memory = memrefOf(kernel, argument);
    return memory && rootOf(memory) == outputs.getResult() ? partOf(memory, outputs) : std::nullopt;
  };
  std::optional<MemoryPart> first = partIn(formula->gate), second = partIn(formula->factor);
  if (formula->activation == nn::Activation::None && first && !isConstantIntValue(first->offsets[1], 0))
    std::swap(first, second);
  OpFoldResult zero = IntegerAttr::get(IndexType::get(product.getContext()), 0);
  bool areHalves = first && second && isHalf(first->sizes[1], outputs.getMixedSizes()[1]) &&
                   isOfColumns(*first, outputs, zero, first->sizes[1]) &&
                   isOfColumns(*second, outputs, first->sizes[1], first->sizes[1]);
  OpBuilder b(kernel);
  Value rows = areHalves ? asRows(b, kernel.getLoc(), kernel.getInits()[0]) : Value();
  return rows ? std::optional(ProductGate{kernel, rows, formula->activation}) : std::nullopt;
}
//===----------------------------------------------------------------------===//
// Products of one x
//===----------------------------------------------------------------------===//

/// Products of one x in one block, in its order. They are computed where the last one is, or its gate.
class ProductsOfRow {
public:
  ProductsOfRow(const Product &first, KernelChoice &choice) : choice(choice), products{first} {}

  bool isFull() const { return products.size() == kMostProducts; }
  size_t size() const { return products.size(); }
  bool has(group::KernelOp kernel) const {
    return llvm::any_of(products, [&](const Product &each) { return each.kernel == kernel; });
  }

  /// Adds one that is behind the others, if these could be computed there.
  bool add(const Product &added);
  /// False, if there are several, and no kernel for all at once.
  bool replace();

private:
  Operation *last() { return gate ? gate->kernel : products.back().kernel; }
  bool findNorm();
  bool isNormOfSeveral(Value rows);
  bool isNormProduct(Value rows);
  bool replace(Value normRows);
  Operation *create(OpBuilder &b, Value normRows, bool ofFirstRow);
  Operation *createNormProduct(OpBuilder &b, Value normRows);
  void describe(Operation *made) const;
  void keepGroups(scf::IfOp branch, ArrayRef<Operation *> groups);
  static void replaceSmall(const Product &product, Operation *made);

  KernelChoice &choice;
  SmallVector<Product, kMostProducts> products;
  std::optional<NormFormula> norm; ///< Of x, which only these products read.
  group::KernelOp producer;
  memref::AllocOp normed;
  std::optional<ProductGate> gate; ///< Of the outputs of the one product, where x is a norm.
};

bool ProductsOfRow::add(const Product &added) {
  const Product &first = products[0];
  auto areAlike = [](Value a, Value b) { return getElementTypeOrSelf(a) == getElementTypeOrSelf(b); };
  if (first.ofSeveral != added.ofSeveral || !isSameMemory(first.x, added.x) || !areAlike(first.weight, added.weight) ||
      !areAlike(first.out, added.out))
    return false;
  auto reads = [](const Product &product, const Product &other) {
    return llvm::any_of(product.inputs(), [&](Value input) { return rootOf(input) == rootOf(other.out); });
  };
  for (const Product &each : products) {
    if (rootOf(each.out) == rootOf(added.out) || reads(each, added) || reads(added, each)) // They are one launch.
      return false;
    for (Operation &op : llvm::make_range(std::next(each.kernel->getIterator()), added.kernel->getIterator()))
      if (!has(dyn_cast<group::KernelOp>(op)) &&
          (uses(op, each.out) || llvm::any_of(each.inputs(), [&](Value input) { return mayWrite(op, input); })))
        return false;
  }
  products.push_back(added);
  return true;
}

/// Finds the norm, which is computed where the last product is, instead of where it was. Where groups remain for
/// several rows, these read it, too.
bool ProductsOfRow::findNorm() {
  const Product &first = products[0];
  if (!first.isWhollyReplaced())
    return false;
  std::tie(producer, normed) =
      producerOf(first.x, llvm::map_to_vector(products, [](Product each) { return each.kernel.getOperation(); }));
  norm = groupNormOf(producer);
  if (norm && size() == 1 && first.mayBeJoined())
    gate = gateOf(first.kernel);
  auto isKept = [&](Value input) {
    auto between = llvm::make_range(std::next(producer->getIterator()), last()->getIterator());
    return !input || (rootOf(cast<group::KernelOp>(last()).getInits()[0]) != rootOf(input) &&
                      llvm::none_of(products, [&](auto &each) { return rootOf(each.out) == rootOf(input); }) &&
                      llvm::none_of(between, [&](Operation &op) {
                        return !has(dyn_cast<group::KernelOp>(op)) && mayWrite(op, input);
                      }));
  };
  return norm && isKept(norm->x) && isKept(norm->weight) && isKept(norm->bias);
}

/// The op: of the first row, or of all.
Operation *ProductsOfRow::create(OpBuilder &b, Value normRows, bool ofFirstRow) {
  auto row = [&](Value rows) { return ofFirstRow ? firstRow(b, rows) : rows; };
  const Product &first = products[0];
  Location loc = b.getFusedLoc(llvm::map_to_vector(products, [](Product each) { return each.kernel.getLoc(); }));
  Value weights[kMostProducts], biases[kMostProducts], outs[kMostProducts], x = row(first.x), epsilon;
  for (auto [i, each] : llvm::enumerate(products))
    weights[i] = each.weight, biases[i] = each.bias, outs[i] = gate ? Value() : row(each.out);
  if (normRows)
    normRows = row(normRows), epsilon = epsilonOf(*norm, b, loc);
  if (size() > 1 && normRows)
    return nn::NormLinearsOp::create(b, loc, normRows, norm->weight, norm->bias, epsilon, x, weights[0], weights[1],
                                     weights[2], biases[0], biases[1], biases[2], outs[1], outs[2], outs[0]);
  if (size() > 1)
    return nn::LinearsOp::create(b, loc, x, weights[0], weights[1], weights[2], biases[0], biases[1], biases[2],
                                 outs[1], outs[2], outs[0]);
  if (!normRows)
    return nn::LinearOp::create(b, loc, x, weights[0], biases[0], row(first.residual), outs[0], first.activation,
                                /*constant_weights=*/false, /*several_rows=*/first.count() > 1);
  Value out = gate ? row(gate->rows) : outs[0];
  return nn::NormLinearOp::create(b, loc, normRows, norm->weight, norm->bias, epsilon, x, weights[0], biases[0],
                                  row(first.residual), out, gate ? gate->activation : first.activation,
                                  /*constant_weights=*/false, gate.has_value());
}

/// Gives the op what --explain prints of the products.
void ProductsOfRow::describe(Operation *made) const {
  keepName(made, products[0].kernel);
  if (size() == 1)
    return;
  llvm::SmallSetVector<Attribute, 4> rounded;
  for (const Product &each : products)
    if (auto lines = each.kernel->getAttrOfType<ArrayAttr>(kRoundedAttr))
      rounded.insert(lines.begin(), lines.end());
  if (!rounded.empty())
    made->setAttr(kRoundedAttr, ArrayAttr::get(made->getContext(), rounded.getArrayRef()));
  KernelCost cost;
  for (const Product &each : products)
    if (auto own = each.kernel->getAttrOfType<ArrayAttr>(kCostAttr))
      cost += KernelCost::of(own);
    else
      return;
  made->setAttr(kCostAttr, cost.attribute(made->getContext()));
}

/// Whether several rows are a layer norm and the product.
bool ProductsOfRow::isNormOfSeveral(Value rows) {
  const Product &first = products[0];
  return size() == 1 && first.ofSeveral && !gate && norm->bias &&
         choice.has(nn::GroupKind::LayerNormBeforeProduct,
                    {rows.getType(), norm->weight.getType(), norm->bias.getType(), first.x.getType(),
                     Float32Type::get(rows.getContext())},
                    first.kernel);
}

/// The memory of nn.norm_product for factors of 16 bits.
MemRefType typeOfFactors(MLIRContext *context) {
  return MemRefType::get({ShapedType::kDynamic}, BFloat16Type::get(context));
}

/// Whether several rows, also of several possible counts, are one nn.norm_product.
bool ProductsOfRow::isNormProduct(Value rows) {
  const Product &first = products[0];
  auto typeOf = [](Value value) { return value ? value.getType() : Type(); };
  return size() == 1 && first.ofSeveral && !gate && norm->bias && getElementTypeOrSelf(first.x).isF32() &&
         choice.has(nn::GroupKind::NormedProduct,
                    {rows.getType(), norm->weight.getType(), norm->bias.getType(), Float32Type::get(rows.getContext()),
                     typeOfFactors(rows.getContext()), typeOf(first.weight), typeOf(first.bias), typeOf(first.residual),
                     typeOf(first.out)},
                    first.kernel);
}

Operation *ProductsOfRow::createNormProduct(OpBuilder &b, Value normRows) {
  constexpr int64_t kMultiple = 8; // Of numbers of 16 bits in a row: 16 bytes.
  Product first = products[0];
  Location loc = first.kernel.getLoc();
  // Of allocations, whose sizes may be from outside of a loop, so that the plan of memory has this one, too.
  auto sizeOf = [&](Value memory, int64_t dimension) -> Value {
    if (auto alloc = memory.getDefiningOp<memref::AllocOp>())
      return getValueOrCreateConstantIndexOp(b, loc, alloc.getMixedSizes()[dimension]);
    return memref::DimOp::create(b, loc, memory, dimension);
  };
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  Value columns = sizeOf(first.out, 1);
  Value all = arith::AddIOp::create(b, loc, sizeOf(first.x, 0), columns);
  Value length = arith::AddIOp::create(b, loc, sizeOf(first.x, 1), number(kMultiple));
  Value size = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, all, length),
                                     arith::MulIOp::create(b, loc, columns, number(2)));
  auto factors =
      memref::AllocOp::create(b, loc, typeOfFactors(b.getContext()), size, /*alignment=*/b.getI64IntegerAttr(64));
  factors->setAttr(kIntermediateAttr, b.getUnitAttr());
  auto made = nn::NormProductOp::create(b, loc, normRows, norm->weight, norm->bias, epsilonOf(*norm, b, loc), factors,
                                        first.weight, first.bias, first.residual, first.out, first.activation,
                                        /*constant_weights=*/false);
  memref::DeallocOp::create(b, loc, factors);
  return made;
}

bool ProductsOfRow::replace() {
  if (findNorm()) {
    OpBuilder b(last());
    if (Value rows = sameRows(b, norm->x, normed, products[0].x); rows && replace(rows))
      return true;
  }
  gate.reset();
  return replace(Value());
}

/// Replaces the groups by one op for all rows or for one, with the norm of the rows unless they are null.
bool ProductsOfRow::replace(Value normRows) {
  const Product &first = products[0];
  bool isSingle = size() == 1, ofSeveral = normRows ? isNormOfSeveral(normRows) : isSingle && first.ofSeveral;
  bool isOneProduct = normRows && isNormProduct(normRows);
  OpBuilder b(last());
  scf::IfOp branch = first.isOfAnyCount() && (isOneProduct || !ofSeveral) ? ifOneRow(b, first.x) : scf::IfOp();
  if (branch)
    b.setInsertionPointToStart(branch.thenBlock());
  bool isOfSeveralAlone = isOneProduct && !branch;
  Operation *made = isOfSeveralAlone ? createNormProduct(b, normRows) : create(b, normRows, bool(branch));
  auto kind = !normRows  ? nn::GroupKind::OneRowProducts
              : gate     ? nn::GroupKind::GatedOneRowProduct
              : isSingle ? nn::GroupKind::NormedOneRowProduct
                         : nn::GroupKind::NormedOneRowProducts;
  bool isKnown = isSingle && !normRows; // By what productOf has found.
  if (!isKnown && !isOfSeveralAlone &&
      !(first.mayBeOne() ? choice.has(kind, made, products.back().kernel) : ofSeveral)) {
    (branch ? branch.getOperation() : made)->erase();
    return false;
  }
  describe(made);
  if (isOneProduct && branch) {
    b.setInsertionPoint(branch.elseYield());
    describe(createNormProduct(b, normRows));
  }
  SmallVector<Operation *> groups;
  if (normRows)
    groups.push_back(producer);
  for (const Product &each : products)
    groups.push_back(each.kernel);
  if (gate) {
    groups.push_back(gate->kernel);
    for (Operation *user : llvm::make_early_inc_range(normed->getUsers())) // Read later than before.
      if (isa<memref::DeallocOp>(user) && user->getBlock() == last()->getBlock() && user->isBeforeInBlock(last()))
        user->moveAfter(last());
  }
  if (branch && !isOneProduct)
    keepGroups(branch, groups);
  else if (isKnown && first.largeFrom)
    replaceSmall(first, made);
  else
    for (Operation *group : llvm::reverse(groups))
      group->erase();
  return true;
}

/// Moves the groups to the branch for several rows, where products have another hand-written kernel if there is one.
void ProductsOfRow::keepGroups(scf::IfOp branch, ArrayRef<Operation *> groups) {
  for (Operation *group : groups)
    group->moveBefore(branch.elseYield());
  for (Product &each : products) {
    if (!each.ofSeveral)
      continue;
    ProductsOfRow alone(each, choice);
    OpBuilder b(each.kernel);
    auto linear = cast<nn::LinearOp>(alone.create(b, Value(), /*ofFirstRow=*/false));
    linear.setSeveralRows(true);
    alone.describe(linear);
    if (each.largeFrom)
      replaceSmall(each, linear);
    else
      each.kernel->erase();
  }
}

/// Leaves the group to the calls in which its result is large; in the others `made` computes it, and where the group's
/// program asks for more of memory (tile.aligned_alone).
void ProductsOfRow::replaceSmall(const Product &product, Operation *made) {
  OpBuilder b(made);
  Location loc = made->getLoc();
  Value rows = memref::DimOp::create(b, loc, product.out, 0), columns = memref::DimOp::create(b, loc, product.out, 1);
  Value elements = arith::MulIOp::create(b, loc, rows, columns),
        least = arith::ConstantIndexOp::create(b, loc, product.largeFrom);
  Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, elements, least);
  auto branch = scf::IfOp::create(b, loc, isLarge, /*withElseRegion=*/true);
  made->moveBefore(branch.elseYield());
  group::KernelOp group = product.kernel;
  group->setAttr(kLargeAttr, b.getUnitAttr());
  group->moveBefore(branch.thenYield());
}
} // namespace

void matchProducts(ArrayRef<group::KernelOp> groups, KernelChoice &choice) {
  llvm::MapVector<Block *, SmallVector<Product>> blocks;
  for (group::KernelOp group : groups)
    if (std::optional<Product> product = productOf(group, choice))
      blocks[group->getBlock()].push_back(*product);
  for (auto &[block, products] : blocks)
    while (!products.empty()) {
      ProductsOfRow set(products[0], choice);
      for (const Product &other : ArrayRef(products).drop_front())
        if (!set.isFull() && products[0].mayBeJoined() && other.mayBeJoined())
          set.add(other);
      bool isJoined = set.size() > 1 && set.replace();
      if (!isJoined)
        ProductsOfRow(products[0], choice).replace();
      products = llvm::filter_to_vector(ArrayRef(products).drop_front(),
                                        [&](const Product &each) { return !isJoined || !set.has(each.kernel); });
    }
}
} // namespace lispier
