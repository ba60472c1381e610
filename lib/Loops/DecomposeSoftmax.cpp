//===- DecomposeSoftmax.cpp - linalg.softmax as reductions and maps -------===//
//
// Before: linalg.softmax on memrefs. After: the maximum of each row, exponentials,
// their sum, and quotients, as linalg.generic. Upstream decomposes it on tensors
// only. lispier-fuse-rows and the GPUs' passes rely on it, as they take such ops.
//
//===----------------------------------------------------------------------===//
#include "lispier/Loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
#define GEN_PASS_DEF_DECOMPOSESOFTMAX
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
class Decomposition {
public:
  explicit Decomposition(linalg::SoftmaxOp op)
      : b(op), loc(op.getLoc()), in(op.getInput()), out(op.getOutput()), dimension(op.getDimension()) {
    auto type = cast<MemRefType>(in.getType());
    element = type.getElementType();
    sums = element.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : element;
    all = b.getMultiDimIdentityMap(type.getRank());
    rows = all.dropResult(dimension);
  }

  void emit() {
    Value most = rowBuffer(element), total = rowBuffer(sums);
    auto floats = cast<FloatType>(element);
    fill(b.getFloatAttr(floats, APFloat::getInf(floats.getFloatSemantics(), /*Negative=*/true)), most);
    generic(in, {}, most, rows, true, [](Parts parts) { return parts.make<arith::MaxNumFOp>(parts.out, parts.in); });
    generic(in, most, out, all, false, [](Parts parts) {
      Value difference = parts.make<arith::SubFOp>(parts.wide(parts.in), parts.wide(parts.row));
      return parts.narrow(parts.make<math::ExpOp>(difference));
    });
    fill(b.getFloatAttr(sums, 0.0), total);
    generic(out, {}, total, rows, true,
            [](Parts parts) { return parts.make<arith::AddFOp>(parts.out, parts.wide(parts.in)); });
    generic(total, {}, out, all, false,
            [](Parts parts) { return parts.narrow(parts.make<arith::DivFOp>(parts.wide(parts.out), parts.in)); });
    memref::DeallocOp::create(b, loc, most);
    memref::DeallocOp::create(b, loc, total);
  }

private:
  /// The body of an op: the elements of its operands, and values in the type of sums, or of the result.
  struct Parts {
    OpBuilder &b;
    Location loc;
    Type sums, element;
    Value in, row, out;

    template <typename Op, typename... Operands> Value make(Operands... operands) {
      return Op::create(b, loc, operands...).getResult();
    }
    Value wide(Value value) {
      return value.getType() == sums ? value : arith::ExtFOp::create(b, loc, sums, value).getResult();
    }
    Value narrow(Value value) {
      return value.getType() == element ? value : arith::TruncFOp::create(b, loc, element, value).getResult();
    }
  };

  /// A number for each row, which has all dimensions but the softmax's.
  Value rowBuffer(Type type) {
    auto whole = cast<MemRefType>(in.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape.erase(shape.begin() + dimension);
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < whole.getRank(); ++d)
      if (d != dimension && whole.isDynamicDim(d))
        sizes.push_back(memref::DimOp::create(b, loc, in, d));
    return memref::AllocOp::create(b, loc, MemRefType::get(shape, type), sizes);
  }

  void fill(FloatAttr value, Value memory) {
    linalg::FillOp::create(b, loc, arith::ConstantOp::create(b, loc, value).getResult(), memory);
  }

  /// to = body(from, row, to); each operand is a whole matrix or has a number for each row.
  void generic(Value from, Value row, Value to, AffineMap toMap, bool reduces, llvm::function_ref<Value(Parts)> body) {
    auto mapOf = [&](Value memory) {
      return cast<MemRefType>(memory.getType()).getRank() == all.getNumResults() ? all : rows;
    };
    SmallVector<utils::IteratorType> kinds(all.getNumDims(), utils::IteratorType::parallel);
    if (reduces)
      kinds[dimension] = utils::IteratorType::reduction;
    SmallVector<Value> inputs{from};
    SmallVector<AffineMap> maps{mapOf(from)};
    if (row) {
      inputs.push_back(row);
      maps.push_back(rows);
    }
    maps.push_back(toMap);
    linalg::GenericOp::create(b, loc, inputs, to, maps, kinds, [&](OpBuilder &inner, Location at, ValueRange values) {
      Value result = body({inner, at, sums, element, values.front(), row ? values[1] : Value(), values.back()});
      linalg::YieldOp::create(inner, at, result);
    });
  }

  OpBuilder b;
  Location loc;
  Value in, out;
  int64_t dimension;
  Type element, sums;
  AffineMap all, rows; ///< Of a matrix, and of what has a number for each row.
};

struct DecomposeSoftmax : impl::DecomposeSoftmaxBase<DecomposeSoftmax> {
  void runOnOperation() override {
    getOperation()->walk([](linalg::SoftmaxOp op) {
      bool isKernel = op->getParentOfType<gpu::LaunchOp>() || op->getParentOfType<gpu::GPUFuncOp>();
      if (!isa<MemRefType>(op.getInput().getType()) || !isa<MemRefType>(op.getOutput().getType()) || isKernel)
        return;
      Decomposition(op).emit();
      op.erase();
    });
  }
};
} // namespace
} // namespace lispier
