//===- Memory.cpp - raw memory as memrefs, device memory ------------------===//
#include "Memory.h"
#include "Core/FormEvaluator.h"
#include "Core/Literals.h"
#include "Core/OpVerifier.h"
#include "Core/Operations.h"
#include "Core/Types.h"
#include "ValueParts.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
/// Emits the sizes of a memref type as index values. `forms` lists all sizes, or the dynamic ones only.
bool MemoryGenerator::memrefSizes(mlir::MemRefType type, const Form *forms, SmallVectorImpl<mlir::Value> &sizes,
                                  const Form *form) {
  ArrayRef<const Form *> given = forms->isVector() ? forms->items() : ArrayRef(forms);
  bool all = given.size() == size_t(type.getRank());
  if (!all && given.size() != size_t(type.getNumDynamicDims())) {
    error("op-operands", forms,
          mlir::debugString(type) + " has " + Twine(type.getNumDynamicDims()) + " dynamic sizes, and " +
              Twine(given.size()) + " are given");
    return false;
  }
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    bool isDynamic = mlir::ShapedType::isDynamic(size);
    const Form *from = isDynamic || all ? given[next++] : nullptr;
    if (!isDynamic) {
      std::optional<int64_t> number = from ? gen.literals.integerOf(from) : std::nullopt;
      if (number && *number != size) {
        error("op-operands", from, Twine(*number) + " is not the size of " + mlir::debugString(type));
        return false;
      }
      sizes.push_back(gen.literals.constantInt(form, builder.getIndexType(), size));
      continue;
    }
    mlir::Value value = gen.evaluator->emitValue(from, builder.getIndexType());
    if (value && value.getType().isInteger())
      value = make<mlir::arith::IndexCastOp>(from, builder.getIndexType(), value);
    if (!value)
      return false;
    if (!value.getType().isIndex()) {
      error("type-mismatch", from, "a size is an index or an integer, not " + mlir::debugString(value.getType()));
      return false;
    }
    sizes.push_back(value);
  }
  return true;
}

/// Builds the memref descriptor of the LLVM lowering: allocated and aligned pointer (equal), offset 0, sizes, strides.
mlir::FailureOr<Values> MemoryGenerator::emitPtrToMemref(const Form *form) {
  mlir::Type parsed = gen.types.parseType((*form)[1]);
  auto type = dyn_cast_if_present<mlir::MemRefType>(parsed);
  if (parsed && !type)
    error("type-mismatch", (*form)[1], "`ptr->memref` makes a ranked memref, not " + mlir::debugString(parsed))
        .withHint("write (ptr->memref memref<?x4xf32> pointer [n 4])");
  if (!type)
    return mlir::failure();
  SmallVector<int64_t> typeStrides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(typeStrides, offset)) || (offset != 0 && !mlir::ShapedType::isDynamic(offset))) {
    error("type-mismatch", (*form)[1],
          "`ptr->memref` makes memrefs that begin at the pointer, in row-major or strided layout");
    return mlir::failure();
  }
  mlir::Value pointer = gen.evaluator->emitValue((*form)[2]);
  if (!pointer)
    return mlir::failure();
  if (!isa<mlir::LLVM::LLVMPointerType>(pointer.getType())) {
    error("type-mismatch", (*form)[2], "`ptr->memref` takes an !llvm.ptr, not " + mlir::debugString(pointer.getType()));
    return mlir::failure();
  }
  SmallVector<mlir::Value> sizes;
  if (!memrefSizes(type, (*form)[3], sizes, form))
    return mlir::failure();
  return Values{memrefOf(form, type, pointer, sizes)};
}

mlir::Value MemoryGenerator::memrefOf(const Form *form, mlir::MemRefType type, mlir::Value pointer,
                                      mlir::ValueRange sizes) {
  SmallVector<int64_t> typeStrides;
  int64_t offset;
  (void)type.getStridesAndOffset(typeStrides, offset);
  unsigned rank = type.getRank();
  mlir::Type i64 = builder.getI64Type();
  SmallVector<mlir::Type> fields{pointer.getType(), pointer.getType(), i64};
  if (rank)
    fields.append(2, mlir::LLVM::LLVMArrayType::get(i64, rank));
  mlir::Type descriptorType = mlir::LLVM::LLVMStructType::getLiteral(&context, fields);
  mlir::Value descriptor = make<mlir::LLVM::PoisonOp>(form, descriptorType);
  auto set = [&](mlir::Value value, ArrayRef<int64_t> place) {
    descriptor = make<mlir::LLVM::InsertValueOp>(form, descriptor, value, place);
  };
  set(pointer, {0});
  set(pointer, {1});
  set(gen.literals.constantInt(form, i64, 0), {2});
  mlir::Value stride = gen.literals.constantInt(form, i64, 1);
  for (unsigned k = rank; k-- > 0;) {
    mlir::Value size = make<mlir::arith::IndexCastOp>(form, i64, sizes[k]);
    mlir::Value here =
        mlir::ShapedType::isDynamic(typeStrides[k]) ? stride : gen.literals.constantInt(form, i64, typeStrides[k]);
    set(size, {3, int64_t(k)});
    set(here, {4, int64_t(k)});
    if (k)
      stride = make<mlir::arith::MulIOp>(form, here, size);
  }
  auto cast = make<mlir::UnrealizedConversionCastOp>(form, mlir::TypeRange{type}, mlir::ValueRange{descriptor});
  return cast.getResult(0);
}

mlir::FailureOr<Values> MemoryGenerator::emitMemory(const Form *form, SpecialForm kind) {
  auto memref = [&](const Form *item) -> mlir::Value {
    mlir::Value value = gen.evaluator->emitValue(item);
    if (value && !isa<mlir::BaseMemRefType>(value.getType())) {
      error("type-mismatch", item, "`" + form->head() + "` takes a memref, not " + mlir::debugString(value.getType()));
      return {};
    }
    return value;
  };
  if (kind == SpecialForm::DeviceAlloc) {
    mlir::Type parsed = gen.types.parseType((*form)[1]);
    auto type = dyn_cast_if_present<mlir::MemRefType>(parsed);
    SmallVector<mlir::Value> sizes, dynamic;
    if (parsed && !type)
      error("type-mismatch", (*form)[1], "`device-alloc` makes a ranked memref, not " + mlir::debugString(parsed))
          .withHint("write (device-alloc memref<?x4xf32> [n 4])");
    if (!type || !memrefSizes(type, (*form)[2], sizes, form))
      return mlir::failure();
    for (const auto &[i, size] : enumerate(type.getShape()))
      if (mlir::ShapedType::isDynamic(size))
        dynamic.push_back(sizes[i]);
    auto alloc = make<mlir::gpu::AllocOp>(form, type, mlir::Type(), mlir::ValueRange(), dynamic, mlir::ValueRange());
    return Values{alloc.getMemref()};
  }
  mlir::Value first = memref((*form)[1]);
  if (!first)
    return mlir::failure();
  if (kind == SpecialForm::ToDevice)
    return Values{make<device::UploadOp>(form, first.getType(), first, /*once=*/false)};
  if (kind == SpecialForm::DeviceFree) {
    make<mlir::gpu::DeallocOp>(form, mlir::Type(), mlir::ValueRange(), first);
    return Values{};
  }
  mlir::Value second = memref((*form)[2]);
  if (!second)
    return mlir::failure();
  auto copy = make<mlir::gpu::MemcpyOp>(form, mlir::Type(), mlir::ValueRange(), first, second);
  if (!gen.verifier.verifyNow(copy, form)) {
    gen.ops.discard(copy);
    return mlir::failure();
  }
  return Values{};
}

} // namespace lispier
