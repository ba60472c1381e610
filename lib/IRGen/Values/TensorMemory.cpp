//===- TensorMemory.cpp - tensors read from memory and stored to it -------===//
#include "Core/KeywordOperands.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
namespace tensor = mlir::tensor;

namespace lispier {
mlir::Value TensorForms::fitted(const Form *form, mlir::Value value, mlir::RankedTensorType type, const Twine &what) {
  if (value.getType() == type)
    return value;
  mlir::Value given = value;
  if (auto memref = dyn_cast<mlir::MemRefType>(value.getType());
      memref && memref.getElementType() == type.getElementType() && memref.getRank() == type.getRank())
    value = make<mlir::bufferization::ToTensorOp>(
        form, mlir::RankedTensorType::get(memref.getShape(), memref.getElementType()), value, /*restrict=*/true);
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!from || !tensor::CastOp::areCastCompatible(from, type))
    return given;
  std::string about = what.str();
  for (auto [d, size] : enumerate(type.getShape()))
    if (from.isDynamicDim(d) && !mlir::ShapedType::isDynamic(size)) {
      Size here = gen.sizes.size(form, value, d);
      gen.sizes.check(form, here, builder.getIndexAttr(size), "tensor-size",
                      about + " has %ld as size of dimension " + Twine(d) + ", not " + Twine(size), here);
    }
  return make<tensor::CastOp>(form, type, value);
}

/// (load memref): all of it. (load tensor): with memory of its own, so that the tensor may be written in place.
mlir::FailureOr<Values> TensorForms::load(const Form *form, const KeywordOperands &, mlir::Value base) {
  if (auto type = dyn_cast<mlir::RankedTensorType>(base.getType()))
    return resultOf(make<mlir::bufferization::AllocTensorOp>(form, type, mlir::ValueRange(), base).getResult());
  auto type = cast<mlir::MemRefType>(base.getType());
  return resultOf(
      fitted(form, base, mlir::RankedTensorType::get(type.getShape(), type.getElementType()), "the memref"));
}

/// (store tensor memref): the tensor is computed there where that is possible.
mlir::FailureOr<Values> TensorForms::store(const Form *form, const KeywordOperands &call, mlir::Value memref) {
  mlir::Value value = operand(form, call.operands[0]);
  if (!value)
    return mlir::failure();
  auto to = cast<mlir::MemRefType>(memref.getType());
  auto from = cast<mlir::RankedTensorType>(value.getType());
  bool fits = from.getRank() == to.getRank() && from.getElementType() == to.getElementType();
  for (int64_t d = 0; fits && d < from.getRank(); ++d) {
    Size size = gen.sizes.size(form, value, d);
    std::optional<int64_t> known = TensorSizes::known(size);
    fits = to.isDynamicDim(d) || !known || *known == to.getDimSize(d);
    if (!fits || !(to.isDynamicDim(d) || !known))
      continue;
    Size there = to.isDynamicDim(d) ? Size(make<mlir::memref::DimOp>(form, memref, d).getResult())
                                    : Size(builder.getIndexAttr(to.getDimSize(d)));
    gen.sizes.check(form, size, there, "tensor-shape",
                    "`store`: dimension " + Twine(d) + " of the tensor has the size %ld, and of the memref %ld",
                    {size, there});
  }
  if (!fits) {
    error("tensor-shape", (*form)[1],
          "a tensor that is " + gen.sizes.text(value) + " does not fit into " + mlir::debugString(to))
        .note((*form)[2]->range(), "the memref is " + mlir::debugString(to));
    return mlir::failure();
  }
  materialize(form, value, memref);
  return Values{};
}

void TensorForms::materialize(const Form *form, mlir::Value tensor, mlir::Value memref) {
  auto write = make<mlir::bufferization::MaterializeInDestinationOp>(form, mlir::Type(), tensor, memref);
  write.setRestrict(true);
  write.setWritable(true);
}

/// (to-memref tensor): the tensor is computed there where that is possible.
mlir::FailureOr<Values> TensorForms::emitToMemref(const Form *form) {
  mlir::Value value = operand(form, (*form)[1]);
  if (!value)
    return mlir::failure();
  auto type = cast<mlir::RankedTensorType>(value.getType());
  SmallVector<mlir::Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(make<tensor::DimOp>(form, value, d));
  auto alloc = make<mlir::gpu::AllocOp>(form, mlir::MemRefType::get(type.getShape(), type.getElementType()),
                                        mlir::Type(), mlir::ValueRange(), sizes, mlir::ValueRange());
  materialize(form, value, alloc.getMemref());
  return Values{alloc.getMemref()};
}
} // namespace lispier
