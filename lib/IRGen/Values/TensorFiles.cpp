//===- TensorFiles.cpp - tensors printed, saved, loaded -------------------===//
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/StringGlobals.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueParts.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace llvm;
namespace bufferization = mlir::bufferization;

namespace lispier {
namespace {
/// The element type as NumPy writes it; empty for types that the runtime does not print and store.
StringRef npyFormat(mlir::Type element) {
  return StringSwitch<StringRef>(mlir::debugString(element))
      .Case("i1", "|b1")
      .Case("i8", "|i1")
      .Case("i16", "<i2")
      .Case("i32", "<i4")
      .Cases({"i64", "index"}, "<i8")
      .Case("f16", "<f2")
      .Cases({"f32", "bf16"}, "<f4")
      .Case("f64", "<f8")
      .Default("");
}
} // namespace

mlir::Value TensorForms::operand(const Form *form, const Form *place) {
  mlir::Value value = gen.evaluator->emitValue(place);
  if (!value || isTensor(value))
    return value;
  StringRef head = form->head();
  error("tensor-operand", place, "`" + head + "` takes a tensor, not " + typeText(value.getType()))
      .withHint(isa<mlir::BaseMemRefType>(value.getType()) ? "(load " + place->str() + ") reads a memref as a tensor"
                : !isTile(value.getType())                 ? ""
                : head == "einsum"                         ? "(dot a b) multiplies tiles"
                : head == "slice" ? "(load memref [index ...] [size ...]) reads a part of memory as a tile"
                                  : "");
  return {};
}

/// The tensor in memory, as memref<*xT>, for a function of the runtime.
mlir::Value TensorForms::unranked(const Form *form, mlir::Value tensor) {
  auto type = cast<mlir::RankedTensorType>(tensor.getType());
  if (npyFormat(type.getElementType()).empty()) {
    error("type-mismatch", form,
          "a tensor of " + mlir::debugString(type.getElementType()) + " is neither printed nor stored")
        .withHint("(cast f32 tensor) converts");
    return {};
  }
  auto memref = mlir::MemRefType::get(type.getShape(), type.getElementType());
  // Without the download kernels would compute the tensor in memory that they share with the host.
  tensor = make<device::DownloadOp>(form, type, tensor);
  mlir::Value buffer = make<bufferization::ToBufferOp>(form, memref, tensor, /*read_only=*/true);
  return make<mlir::memref::CastOp>(form, mlir::UnrankedMemRefType::get(type.getElementType(), 0), buffer);
}

/// Calls a function of the runtime that exists for each element type.
mlir::FailureOr<Values> TensorForms::callRuntime(const Form *form, const Twine &name, ArrayRef<mlir::Value> arguments) {
  std::string symbol = name.str();
  gen.functionTable.runtimeFunction(symbol, builder.getFunctionType(mlir::ValueRange(arguments).getTypes(), {}), false,
                                    form);
  SmallVector<mlir::Value> values(arguments);
  return gen.functionTable.callValues(form, *gen.functionTable.find(symbol), values);
}

mlir::FailureOr<Values> TensorForms::emitPrint(const Form *form, mlir::Value tensor, unsigned digits) {
  mlir::Value memref = unranked(form, tensor);
  if (!memref)
    return mlir::failure();
  return callRuntime(form, "lispier_print_tensor_" + mlir::debugString(mlir::getElementTypeOrSelf(tensor.getType())),
                     {memref, gen.literals.constantInt(form, builder.getI64Type(), digits)});
}

mlir::Value TensorForms::path(const Form *form, const Form *place) {
  if (place->isString())
    return gen.strings.address(place->text(), place);
  mlir::Value value = gen.evaluator->emitValue(place);
  if (!value || isa<mlir::LLVM::LLVMPointerType>(value.getType()))
    return value;
  error("type-mismatch", place, "`" + form->head() + "` takes a path, not " + typeText(value.getType()))
      .withHint("a path is a text in quotes, or a pointer to one");
  return {};
}

/// (host tensor)
mlir::FailureOr<Values> TensorForms::emitHost(const Form *form) {
  mlir::Value tensor = operand(form, (*form)[1]);
  if (!tensor)
    return mlir::failure();
  return Values{make<device::DownloadOp>(form, tensor.getType(), tensor)};
}

/// (save-npy tensor "path.npy")
mlir::FailureOr<Values> TensorForms::emitSaveNpy(const Form *form) {
  mlir::Value tensor = operand(form, (*form)[1]), name = tensor ? path(form, (*form)[2]) : mlir::Value();
  mlir::Value memref = name ? unranked(form, tensor) : mlir::Value();
  if (!memref)
    return mlir::failure();
  return callRuntime(form, "lispier_save_npy_" + mlir::debugString(mlir::getElementTypeOrSelf(tensor.getType())),
                     {memref, name, gen.strings.address(gen.sizes.site(form), form)});
}

/// (load-npy (tensor size ... type) "path.npy")
mlir::FailureOr<Values> TensorForms::emitLoadNpy(const Form *form) {
  mlir::Type wanted = gen.types.parseType((*form)[1]);
  if (!wanted)
    return mlir::failure();
  auto type = dyn_cast<mlir::RankedTensorType>(wanted);
  StringRef format = type ? npyFormat(type.getElementType()) : "";
  if (format.empty()) {
    error("type-mismatch", (*form)[1], "`load-npy` takes the type of a tensor, not " + typeText(wanted))
        .withHint("write (tensor size ... type), with _ for a size that the file decides");
    return mlir::failure();
  }
  mlir::Value name = path(form, (*form)[2]);
  if (!name)
    return mlir::failure();
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&context), i64 = builder.getI64Type();
  auto call = [&](StringRef symbol, mlir::TypeRange results, SmallVector<mlir::Value> arguments) {
    gen.functionTable.runtimeFunction(symbol, builder.getFunctionType(mlir::ValueRange(arguments).getTypes(), results),
                                      false, form);
    return *gen.functionTable.callValues(form, *gen.functionTable.find(symbol), arguments);
  };
  mlir::Value rank = gen.literals.constantInt(form, i64, type.getRank());
  mlir::Value file = call("lispier_npy_open", pointer,
                          {name, gen.strings.address(format, form), gen.strings.address((*form)[1]->str(), form), rank,
                           gen.strings.address(gen.sizes.site(form), form)})
                         .front();
  SmallVector<mlir::Value> sizes;
  for (auto [d, size] : enumerate(type.getShape())) {
    mlir::Value dimension = gen.literals.constantInt(form, i64, d);
    if (mlir::ShapedType::isDynamic(size))
      sizes.push_back(make<mlir::arith::IndexCastOp>(form, builder.getIndexType(),
                                                     call("lispier_npy_size", i64, {file, dimension}).front()));
    else
      call("lispier_npy_expect", {}, {file, dimension, gen.literals.constantInt(form, i64, size)});
  }
  auto memref = mlir::MemRefType::get(type.getShape(), type.getElementType());
  mlir::Value buffer = make<mlir::memref::AllocOp>(form, memref, sizes);
  mlir::Value all = make<mlir::memref::CastOp>(form, mlir::UnrankedMemRefType::get(type.getElementType(), 0), buffer);
  if (failed(callRuntime(form, "lispier_npy_read_" + mlir::debugString(type.getElementType()), {file, all})))
    return mlir::failure();
  return Values{make<bufferization::ToTensorOp>(form, type, buffer, /*restrict=*/true, /*writable=*/true)};
}
} // namespace lispier
