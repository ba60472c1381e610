//===- TileProgram.cpp - the tile program of a group ----------------------===//
#include "TileProgram.h"
#include "lispier/Buffers/MemoryViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace lispier::tensors {
TileProgram::TileProgram(group::KernelOp group, const GroupDimensions &dimensions, const PaddedReads &padded,
                         gpu::GPUModuleOp module, StringRef name)
    : group(group), dimensions(dimensions), padded(padded) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  kernel = gpu::GPUFuncOp::create(b, group.getLoc(), name, b.getFunctionType({}, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
}

Value TileProgram::memref(BlockArgument tensor) { return memref(tensor, {}); }

Value TileProgram::memref(BlockArgument tensor, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    order = {};
  return find({Kind::View, tensor, SmallVector<int64_t>(order)});
}

Value TileProgram::wholeMemref(BlockArgument tensor) { return find({Kind::Whole, tensor, {}}); }
Value TileProgram::strided(BlockArgument tensor, MemRefType type) { return find({Kind::Strided, tensor, {}, type}); }
Value TileProgram::scalar(BlockArgument number) { return find({Kind::Scalar, number, {}}); }
Value TileProgram::size(BlockArgument tensor, unsigned position) { return find({Kind::Size, tensor, {position}}); }

Value TileProgram::find(Parameter parameter) {
  if (parameter.kind == Kind::Whole && dimensions.parts(parameter.argument).size() ==
                                           size_t(cast<RankedTensorType>(parameter.argument.getType()).getRank()))
    parameter.kind = Kind::View;
  auto isSame = [&](const Parameter &each) { // Also of another read of the operand.
    return each.kind == parameter.kind && each.order == parameter.order &&
           operandOf(each.argument) == operandOf(parameter.argument) && typeOf(each) == typeOf(parameter);
  };
  auto *known = llvm::find_if(parameters, isSame);
  unsigned number = known - parameters.begin();
  if (known == parameters.end()) {
    Type type = typeOf(parameter);
    (void)kernel.insertArgument(number, type, DictionaryAttr(), group.getLoc()); // It checks attributes only.
    parameters.push_back(std::move(parameter));
  }
  return kernel.getArgument(number);
}

Value TileProgram::operandOf(BlockArgument argument) const { return group->getOperand(argument.getArgNumber()); }

Type TileProgram::typeOf(const Parameter &parameter) const {
  if (parameter.kind == Kind::Size)
    return IndexType::get(group.getContext());
  if (parameter.kind == Kind::Strided)
    return parameter.type;
  auto type = dyn_cast<MemRefType>(operandOf(parameter.argument).getType());
  if (!type || parameter.kind == Kind::Whole)
    return operandOf(parameter.argument).getType();
  ArrayRef<ReassociationIndices> parts = dimensions.parts(parameter.argument);
  if (int64_t(parts.size()) != type.getRank())
    type = memref::CollapseShapeOp::computeCollapsedType(dimensions.withUnits(parameter.argument, type), parts);
  if (parameter.order.empty())
    return type;
  auto [strides, offset] = type.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(type.getContext(), offset, applyPermutation(strides, parameter.order));
  return MemRefType::get(applyPermutation(type.getShape(), parameter.order), type.getElementType(), layout,
                         type.getMemorySpace());
}

Value TileProgram::operand(OpBuilder &b, const Parameter &parameter, Type type) const {
  Value value = operandOf(parameter.argument);
  Location loc = group.getLoc();
  if (parameter.kind == Kind::Scalar || parameter.kind == Kind::Whole)
    return value;
  if (parameter.kind == Kind::Size)
    return memref::DimOp::create(b, loc, value, parameter.order.front());
  if (parameter.kind == Kind::Strided) {
    auto view = cast<MemRefType>(type);
    auto [strides, offset] = view.getStridesAndOffset();
    return memref::ReinterpretCastOp::create(b, loc, view, value, offset, view.getShape(), strides);
  }
  ArrayRef<ReassociationIndices> parts = dimensions.parts(parameter.argument);
  if (auto own = cast<MemRefType>(value.getType()); int64_t(parts.size()) != own.getRank()) {
    MemRefType known = dimensions.withUnits(parameter.argument, own);
    if (known != own)
      value = memref::CastOp::create(b, loc, known, value);
    value = collapsed(b, loc, value, parts);
  }
  if (!parameter.order.empty()) {
    SmallVector<unsigned> order(parameter.order.begin(), parameter.order.end());
    value = memref::TransposeOp::create(b, loc, value,
                                        AffineMapAttr::get(AffineMap::getPermutationMap(order, b.getContext())));
  }
  return value.getType() == type ? value : memref::CastOp::create(b, loc, type, value).getResult();
}

SmallVector<Value> TileProgram::operands(OpBuilder &b) const {
  SmallVector<Value> all;
  for (auto [parameter, argument] : llvm::zip(parameters, kernel.getArguments()))
    all.push_back(operand(b, parameter, argument.getType()));
  return all;
}

Value TileProgram::hostSize(OpBuilder &b, unsigned dimension) const {
  Location loc = group.getLoc();
  if (dimensions.isStatic(dimension))
    return arith::ConstantIndexOp::create(b, loc, dimensions.size(dimension));
  auto [argument, position] = dimensions.argumentWith(dimension);
  Value size;
  auto multiply = [&](Value factor) { size = size ? arith::MulIOp::create(b, loc, size, factor).getResult() : factor; };
  if (!argument) {
    for (OpFoldResult factor : dimensions.sizeFactors(dimension)) {
      auto number = dyn_cast_or_null<BlockArgument>(dyn_cast<Value>(factor));
      if (!number && isa<Value>(factor))
        return {}; // Computed in the body.
      multiply(number ? operandOf(number) : getValueOrCreateConstantIndexOp(b, loc, factor));
    }
    return size;
  }
  for (int64_t each : dimensions.parts(argument)[position])
    multiply(memref::DimOp::create(b, loc, operandOf(argument), each));
  return size;
}
} // namespace lispier::tensors
