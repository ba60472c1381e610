//===- ScatterRule.cpp - the adjoint of reads at computed places ----------===//
//
// A dimension of the table is read at the index of a loop, or at a computed index. If
// each iteration of the loops on which that depends reads rows of its own, an element
// of the table gets the cotangent of the one iteration that may have read it; else
// nn.add_at adds the rows. Single numbers without a loop are added by themselves.
//
//===----------------------------------------------------------------------===//
#include "ScatterRule.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using Loop = utils::IteratorType;

namespace lispier {
namespace {
class ReadAdjoint {
public:
  ReadAdjoint(linalg::GenericOp op, tensor::ExtractOp read, Value inside, BodyAdjoint &body,
              ArrayRef<OpFoldResult> sizes, Reverse &reverse)
      : op(op), read(read), inside(inside), body(body), sizes(sizes), reverse(reverse), b(reverse.b), loc(op.getLoc()) {
  }

  LogicalResult run() {
    if (!sortDimensions())
      return reverse.refuse(op, "reads at places of this kind have no gradient", "");
    bool ownRows = computed.size() == 1 && llvm::all_of(places, [&](unsigned loop) {
                     return llvm::is_contained(loopOf, std::optional<unsigned>(loop));
                   });
    reverse.add(read.getTensor(), ownRows ? chosen() : places.empty() ? addedOnce() : added());
    return success();
  }

private:
  /// Finds what each dimension of the table is read at. False if that is of no kind above.
  bool sortDimensions() {
    llvm::SmallBitVector isPlace(op.getNumLoops());
    for (auto [d, index] : llvm::enumerate(read.getIndices())) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      loopOf.push_back(loop ? std::optional<unsigned>(loop.getDim()) : std::nullopt);
      if (loop)
        continue;
      computed.push_back(d);
      for (unsigned each : body.loopsOf(index))
        isPlace.set(each);
    }
    for (unsigned loop : llvm::seq(op.getNumLoops())) {
      bool isOfTable = llvm::is_contained(loopOf, std::optional<unsigned>(loop));
      if (!isOfTable) // Several iterations read one element.
        isPlace.set(loop);
      if (!isPlace.test(loop))
        whole.push_back(loop);
    }
    for (int loop : isPlace.set_bits())
      places.push_back(loop);
    // Rows have their dimensions in the table's order, each once.
    SmallVector<unsigned> found;
    for (std::optional<unsigned> loop : loopOf)
      if (loop && llvm::is_contained(whole, *loop))
        found.push_back(*loop);
    return found == whole;
  }

  SmallVector<OpFoldResult> sizesOf(ArrayRef<unsigned> loops) {
    return llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
  }

  /// A tensor of a value of the body over `loops`.
  Value computeOver(Value value, ArrayRef<unsigned> loops) {
    return body.emit(value, loops, sizesOf(loops), b.getMultiDimIdentityMap(loops.size()), /*always=*/true).tensor;
  }

  /// Element by element of the table: the cotangent where the computed index is the element's own, else 0.
  Value chosen() {
    auto table = cast<RankedTensorType>(read.getTensor().getType());
    unsigned rank = table.getRank();
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(op.getNumLoops()));
    Value cotangents = computeOver(inside, all);
    SmallVector<unsigned> own = body.loopsOf(read.getIndices()[computed[0]]);
    Value indices = computeOver(read.getIndices()[computed[0]], own);
    auto dimOf = [&](unsigned loop) {
      for (auto [d, each] : llvm::enumerate(loopOf))
        if (each == loop)
          return b.getAffineDimExpr(d);
      llvm_unreachable("each loop is a dimension of the table");
    };
    auto mapOf = [&](ArrayRef<unsigned> loops) {
      return AffineMap::get(rank, 0, llvm::map_to_vector(loops, dimOf), b.getContext());
    };
    SmallVector<AffineMap> maps{mapOf(all), mapOf(own), b.getMultiDimIdentityMap(rank)};
    Type element = table.getElementType();
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, read.getTensor()), element);
    SmallVector<Loop> loops(rank, Loop::parallel);
    return linalg::GenericOp::create(b, loc, empty.getType(), ValueRange{cotangents, indices}, empty, maps, loops,
                                     [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                       Value here = linalg::IndexOp::create(inner, place, computed[0]);
                                       Value same = arith::CmpIOp::create(inner, place, arith::CmpIPredicate::eq, here,
                                                                          numbers[1]);
                                       Value number = arith::SelectOp::create(inner, place, same, numbers[0], zero);
                                       linalg::YieldOp::create(inner, place, number);
                                     })
        .getResult(0);
  }

  Value indexOf(OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); }

  OpFoldResult product(ArrayRef<OpFoldResult> factors) {
    int64_t number = 1;
    Value all;
    for (OpFoldResult factor : factors)
      if (std::optional<int64_t> known = getConstantIntValue(factor))
        number *= *known;
      else
        all = all ? arith::MulIOp::create(b, loc, all, cast<Value>(factor)).getResult() : cast<Value>(factor);
    if (!all || number == 0)
      return b.getIndexAttr(number);
    return number == 1 ? all : arith::MulIOp::create(b, loc, all, indexOf(b.getIndexAttr(number))).getResult();
  }

  /// `tensor`, whose first `rows` dimensions become one, and so do the others: [n] or [n c].
  Value flattened(Value tensor, unsigned rows) {
    unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
    SmallVector<ReassociationIndices> groups(1, llvm::to_vector<2>(llvm::seq<int64_t>(rows)));
    if (rows < rank)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(rows, rank)));
    return groups.size() == rank ? tensor : tensor::CollapseShapeOp::create(b, loc, tensor, groups).getResult();
  }

  /// The number of a row among those of all dimensions of the table but the whole ones; -1 if an index is outside.
  Value rowNumber() {
    OpBuilder inner(b.getContext());
    inner.setInsertionPointToEnd(read->getBlock());
    Value number, isInside;
    for (unsigned d : rowDims) {
      Value index = read.getIndices()[d], size = indexOf(tableSizes[d]);
      number =
          number ? arith::AddIOp::create(inner, loc, arith::MulIOp::create(inner, loc, number, size), index) : index;
      if (loopOf[d])
        continue;
      Value holds = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult, index, size);
      isInside = isInside ? arith::AndIOp::create(inner, loc, isInside, holds).getResult() : holds;
    }
    Value none = arith::ConstantIndexOp::create(inner, loc, -1);
    number = arith::SelectOp::create(inner, loc, isInside, number, none);
    return arith::IndexCastOp::create(inner, loc, inner.getI32Type(), number);
  }

  /// Zeros with the rows added, in the order of the iterations.
  Value added() {
    tableSizes = tensor::getMixedSizes(b, loc, read.getTensor());
    SmallVector<unsigned> wholeDims;
    for (auto [d, loop] : llvm::enumerate(loopOf))
      (loop && llvm::is_contained(whole, *loop) ? wholeDims : rowDims).push_back(d);
    SmallVector<unsigned> order(places), dims(rowDims);
    llvm::append_range(order, whole);
    llvm::append_range(dims, wholeDims);
    SmallVector<OpFoldResult> shape = llvm::map_to_vector(dims, [&](unsigned d) { return tableSizes[d]; });
    OpFoldResult rows = product(ArrayRef(shape).take_front(rowDims.size()));
    OpFoldResult width = product(ArrayRef(shape).drop_front(rowDims.size()));

    Value numbers = flattened(computeOver(rowNumber(), places), places.size());
    Value cotangents = flattened(computeOver(inside, order), places.size());
    OpFoldResult count = tensor::getMixedSizes(b, loc, numbers)[0];
    if (whole.empty()) {
      SmallVector<ReassociationIndices> split{{0, 1}};
      auto type = cast<RankedTensorType>(cotangents.getType());
      auto column = RankedTensorType::get({type.getDimSize(0), 1}, type.getElementType());
      SmallVector<OpFoldResult> sizes{count, b.getIndexAttr(1)};
      cotangents = tensor::ExpandShapeOp::create(b, loc, column, cotangents, split, sizes);
    }
    Type element = getElementTypeOrSelf(read.getTensor().getType());
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{rows, width}, element);
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    // As nn.add_at describes it.
    Value lists = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, indexOf(rows), indexOf(count)),
                                        indexOf(b.getIndexAttr(1)));
    OpFoldResult both = arith::MulIOp::create(b, loc, lists, indexOf(b.getIndexAttr(2))).getResult();
    Value scratch = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>(both), b.getI32Type());
    Value table = nn::AddAtOp::create(b, loc, numbers, cotangents, scratch, zeros)->getResult(0);
    return inTableOrder(table, dims, shape);
  }

  /// [v c] in the shape of the table, whose dimensions are `dims`.
  Value inTableOrder(Value table, ArrayRef<unsigned> dims, ArrayRef<OpFoldResult> shape) {
    SmallVector<int64_t> known = llvm::map_to_vector(
        shape, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
    Type element = getElementTypeOrSelf(table.getType());
    if (whole.empty()) {
      SmallVector<ReassociationIndices> both{{0, 1}};
      table = tensor::CollapseShapeOp::create(b, loc, table, both);
    }
    SmallVector<ReassociationIndices> groups(1, llvm::to_vector<2>(llvm::seq<int64_t>(rowDims.size())));
    if (!whole.empty())
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(rowDims.size(), dims.size())));
    if (groups.size() != dims.size())
      table = tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get(known, element), table, groups, shape);
    if (llvm::is_sorted(dims))
      return table;
    unsigned rank = dims.size();
    SmallVector<AffineExpr> places = llvm::map_to_vector(dims, [&](unsigned d) { return b.getAffineDimExpr(d); });
    SmallVector<AffineMap> maps{AffineMap::get(rank, 0, places, b.getContext()), b.getMultiDimIdentityMap(rank)};
    SmallVector<Loop> loops(rank, Loop::parallel);
    Value empty = tensor::EmptyOp::create(b, loc, tableSizes, element);
    return linalg::GenericOp::create(b, loc, empty.getType(), table, empty, maps, loops,
                                     [&](OpBuilder &inner, Location place, ValueRange numbers) {
                                       linalg::YieldOp::create(inner, place, numbers[0]);
                                     })
        .getResult(0);
  }

  /// One row, at an index that no loop has: a slice of zeros.
  Value addedOnce() {
    Piece there;
    for (auto [d, loop] : llvm::enumerate(loopOf)) {
      Value at = loop ? Value() : computeOver(read.getIndices()[d], {});
      there.offsets.push_back(loop ? OpFoldResult(b.getIndexAttr(0))
                                   : tensor::ExtractOp::create(b, loc, at, ValueRange()).getResult());
      there.sizes.push_back(loop ? sizes[*loop] : b.getIndexAttr(1));
    }
    there.strides.assign(there.offsets.size(), b.getIndexAttr(1));
    Value zeros = reverse.zerosLike(loc, read.getTensor());
    return tensor::InsertSliceOp::create(b, loc, computeOver(inside, whole), zeros, there.offsets, there.sizes,
                                         there.strides);
  }

  linalg::GenericOp op;
  tensor::ExtractOp read;
  Value inside;
  BodyAdjoint &body;
  ArrayRef<OpFoldResult> sizes;
  Reverse &reverse;
  OpBuilder &b;
  Location loc;
  SmallVector<std::optional<unsigned>> loopOf; ///< Of each dimension of the table the loop whose index it has.
  SmallVector<unsigned> computed;              ///< Dimensions with a computed index.
  SmallVector<unsigned> places;                ///< Loops on which these depend, or that no dimension has.
  SmallVector<unsigned> whole;                 ///< The others: all of their dimension.
  SmallVector<unsigned> rowDims;               ///< Dimensions of the table but the whole ones.
  SmallVector<OpFoldResult> tableSizes;
};
} // namespace

LogicalResult reverseReads(linalg::GenericOp op, tensor::ExtractOp read, Value inside, BodyAdjoint &body,
                           ArrayRef<OpFoldResult> sizes, Reverse &reverse) {
  return ReadAdjoint(op, read, inside, body, sizes, reverse).run();
}
} // namespace lispier
