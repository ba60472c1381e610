//===- ScatterRule.cpp - the adjoint of reads at computed places ----------===//
//
// A dimension of the table is read at the index of a loop, or at a computed index. If
// each iteration of the loops on which that depends reads rows of its own, an element
// of the table gets the cotangent of the one iteration that may have read it; else the
// rows are added one after the other.
//
//===----------------------------------------------------------------------===//
#include "ScatterRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
    reverse.add(read.getTensor(), ownRows ? chosen() : added());
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

  /// Rows added one after the other, in the order of the iterations.
  Value added() {
    SmallVector<unsigned> order(places);
    llvm::append_range(order, whole);
    Value cotangents = computeOver(inside, order);
    SmallVector<Value> indices;
    SmallVector<SmallVector<unsigned>> own;
    for (unsigned d : computed) {
      own.push_back(body.loopsOf(read.getIndices()[d]));
      indices.push_back(computeOver(read.getIndices()[d], own.back()));
    }
    Value start = reverse.zerosLike(loc, read.getTensor());
    Value zero = indexOf(b.getIndexAttr(0)), one = indexOf(b.getIndexAttr(1));
    SmallVector<scf::ForOp> loops;
    SmallVector<Value> numbers(op.getNumLoops());
    OpBuilder::InsertionGuard guard(b);
    Value table = start;
    for (unsigned loop : places) {
      auto next = scf::ForOp::create(b, loc, zero, indexOf(sizes[loop]), one, table);
      b.setInsertionPointToStart(next.getBody());
      numbers[loop] = next.getInductionVar();
      table = next.getRegionIterArg(0);
      loops.push_back(next);
    }
    table = addRow(table, cotangents, indices, own, numbers);
    for (scf::ForOp loop : llvm::reverse(loops)) {
      scf::YieldOp::create(b, loc, table);
      table = loop.getResult(0);
      b.setInsertionPointAfter(loop);
    }
    return table;
  }

  /// The table with the row of one iteration of the places added.
  Value addRow(Value table, Value cotangents, ArrayRef<Value> indices, ArrayRef<SmallVector<unsigned>> own,
               ArrayRef<Value> numbers) {
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    Piece row, there;
    for (unsigned loop : places)
      row.offsets.push_back(numbers[loop]);
    row.sizes.assign(places.size(), one);
    for (unsigned loop : whole) {
      row.offsets.push_back(zero);
      row.sizes.push_back(sizes[loop]);
    }
    row.strides.assign(row.offsets.size(), one);
    unsigned next = 0;
    for (std::optional<unsigned> loop : loopOf) {
      bool isWhole = loop && llvm::is_contained(whole, *loop);
      if (isWhole || loop) {
        there.offsets.push_back(isWhole ? zero : OpFoldResult(numbers[*loop]));
      } else {
        SmallVector<Value> at;
        for (unsigned each : own[next])
          at.push_back(numbers[each]);
        there.offsets.push_back(tensor::ExtractOp::create(b, loc, indices[next++], at).getResult());
      }
      there.sizes.push_back(isWhole ? sizes[*loop] : one);
    }
    there.strides.assign(there.offsets.size(), one);
    Type element = getElementTypeOrSelf(table.getType());
    if (whole.empty()) { // Single numbers.
      auto values = [&](ArrayRef<OpFoldResult> at) {
        return llvm::map_to_vector(at, [&](OpFoldResult index) { return indexOf(index); });
      };
      Value old = tensor::ExtractOp::create(b, loc, table, values(there.offsets));
      Value more = tensor::ExtractOp::create(b, loc, cotangents, values(row.offsets));
      return tensor::InsertOp::create(b, loc, reverse.sum(loc, {old, more}), table, values(there.offsets));
    }
    SmallVector<int64_t> shape;
    for (unsigned loop : whole)
      shape.push_back(getConstantIntValue(sizes[loop]).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, element);
    Value old = tensor::ExtractSliceOp::create(b, loc, type, table, there.offsets, there.sizes, there.strides);
    Value more = tensor::ExtractSliceOp::create(b, loc, type, cotangents, row.offsets, row.sizes, row.strides);
    return tensor::InsertSliceOp::create(b, loc, reverse.sum(loc, {old, more}), table, there.offsets, there.sizes,
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
};
} // namespace

LogicalResult reverseReads(linalg::GenericOp op, tensor::ExtractOp read, Value inside, BodyAdjoint &body,
                           ArrayRef<OpFoldResult> sizes, Reverse &reverse) {
  return ReadAdjoint(op, read, inside, body, sizes, reverse).run();
}
} // namespace lispier
