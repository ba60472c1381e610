//===- Structs.cpp - defstruct, new and field accessors -------------------===//
#include "Structs.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/StructTypes.h"
#include "Core/Types.h"
#include "Generator.h"
#include "Values/Arithmetic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lispier {
namespace {
struct Layout {
  uint64_t size, alignment;
};

/// Size in bytes in LLVM's layout for 64-bit targets, where scalars are aligned to their size. (MLIR's default data
/// layout aligns i64 to 4 bytes.)
Layout layoutOf(mlir::Type type) {
  if (auto record = dyn_cast<mlir::LLVM::LLVMStructType>(type)) {
    Layout whole{0, 1};
    for (mlir::Type field : record.getBody()) {
      Layout part = layoutOf(field);
      whole.size = llvm::alignTo(whole.size, part.alignment) + part.size;
      whole.alignment = std::max(whole.alignment, part.alignment);
    }
    whole.size = llvm::alignTo(whole.size, whole.alignment);
    return whole;
  }
  if (auto array = dyn_cast<mlir::LLVM::LLVMArrayType>(type)) {
    Layout element = layoutOf(array.getElementType());
    return {element.size * array.getNumElements(), element.alignment};
  }
  uint64_t bits = 64; // A pointer.
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    bits = layoutOf(vector.getElementType()).size * 8 * vector.getNumElements();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  uint64_t bytes = llvm::PowerOf2Ceil(std::max<uint64_t>(1, llvm::divideCeil(bits, 8)));
  return {bytes, isa<mlir::VectorType>(type) ? bytes : std::min<uint64_t>(bytes, 16)};
}
} // namespace

mlir::Value StructGenerator::structSize(StructInfo &info, const Form *form) {
  return gen.literals.constantInt(form, builder.getI64Type(), layoutOf(info.type).size);
}

std::optional<mlir::FailureOr<Values>> StructGenerator::structAccess(const Form *form) {
  auto [name, field] = form->head().split('/');
  auto found = gen.structTypes.known.find(name);
  if (found == gen.structTypes.known.end())
    return std::nullopt;
  auto failed = [] { return mlir::FailureOr<Values>(mlir::failure()); };
  StructInfo &info = found->second;
  if (!info.type)
    return failed();
  bool stores = field.consume_back("!");
  size_t wanted = stores ? 2 : field == "size" && form->size() == 1 ? 0 : 1;
  auto member = find_if(info.fields, [&](const StructInfo::Field &other) { return other.name == field; });
  if (wanted == 0)
    return mlir::FailureOr<Values>(Values{structSize(info, form)});
  if (member == info.fields.end()) {
    std::string fields;
    for (const StructInfo::Field &other : info.fields)
      fields += (fields.empty() ? "" : ", ") + other.name;
    error("name-undefined", (*form)[0], "`" + info.name + "` has no field `" + field + "`")
        .withHint("its fields are: " + fields)
        .note(info.form->range(), "`" + info.name + "` is defined here");
    return failed();
  }
  if (form->size() - 1 != wanted) {
    error("macro-arity", form,
          "`" + form->head() + "` takes " + Twine(wanted) + (wanted == 1 ? " operand" : " operands") + ", not " +
              Twine(form->size() - 1))
        .withHint(stores ? "write (" + form->head() + " pointer value)" : "write (" + form->head() + " pointer)");
    return failed();
  }
  mlir::Value pointer = gen.evaluator->emitValue((*form)[1]);
  mlir::Value value = stores ? gen.evaluator->emitValue((*form)[2], member->type) : mlir::Value();
  if (!pointer || (stores && !value))
    return failed();
  if (!isa<mlir::LLVM::LLVMPointerType>(pointer.getType())) {
    error("type-mismatch", (*form)[1],
          "`" + form->head() + "` takes a pointer, not " + mlir::debugString(pointer.getType()));
    return failed();
  }
  if (stores && value.getType().isIndex() && member->type.isInteger(64))
    value = make<mlir::arith::IndexCastOp>(form, member->type, value);
  if (stores && value.getType() != member->type) {
    error("type-mismatch", (*form)[2],
          "the field `" + field + "` has type " + mlir::debugString(member->type) + ", not " +
              mlir::debugString(value.getType()));
    return failed();
  }
  mlir::Value address = fieldAddress(info, member - info.fields.begin(), pointer, form);
  if (stores) {
    make<mlir::LLVM::StoreOp>(form, value, address);
    return mlir::FailureOr<Values>(Values{});
  }
  if (isa<mlir::LLVM::LLVMStructType>(member->type)) // A nested struct: return its address, for its own accessors.
    return mlir::FailureOr<Values>(Values{address});
  return mlir::FailureOr<Values>(Values{make<mlir::LLVM::LoadOp>(form, member->type, address)});
}

mlir::Value StructGenerator::fieldAddress(StructInfo &info, unsigned index, mlir::Value pointer, const Form *form) {
  return make<mlir::LLVM::GEPOp>(form, pointer.getType(), info.type, pointer,
                                 ArrayRef<mlir::LLVM::GEPArg>{0, int32_t(index)});
}

mlir::FailureOr<Values> StructGenerator::emitNew(const Form *form) {
  const Form *name = (*form)[1];
  auto found = name->isSymbol() ? gen.structTypes.known.find(name->text()) : gen.structTypes.known.end();
  if (found == gen.structTypes.known.end()) {
    SmallVector<std::string> names;
    for (auto &known : gen.structTypes.known)
      names.push_back(known.first().str());
    error("name-undefined", name, "there is no struct " + name->str()).withHint(didYouMean(name->text(), names));
    return mlir::failure();
  }
  StructInfo &info = found->second;
  if (!info.type)
    return mlir::failure();
  ArrayRef<const Form *> given = form->items().drop_front(2);
  if (!given.empty() && given.size() != info.fields.size()) {
    error("macro-arity", form,
          "`" + info.name + "` has " + Twine(info.fields.size()) + " fields, and " + Twine(given.size()) +
              " values are given");
    return mlir::failure();
  }
  SmallVector<mlir::Value> values;
  for (const auto &[item, field] : zip(given, info.fields)) {
    values.push_back(gen.evaluator->emitValue(item, field.type));
    if (!values.back())
      return mlir::failure();
    if (values.back().getType() != field.type) {
      error("type-mismatch", item,
            "the field `" + field.name + "` has type " + mlir::debugString(field.type) + ", not " +
                mlir::debugString(values.back().getType()));
      return mlir::failure();
    }
  }
  mlir::Type pointerType = mlir::LLVM::LLVMPointerType::get(&context);
  gen.functionTable.runtimeFunction("malloc", builder.getFunctionType({builder.getI64Type()}, {pointerType}), false,
                                    form);
  FunctionInfo *allocate = gen.functionTable.find("malloc");
  mlir::Value size = structSize(info, form);
  if (allocate->type.getNumInputs() == 1 && allocate->type.getInput(0).isIntOrIndex())
    size = gen.arithmetic.convert(size, allocate->type.getInput(0), form);
  SmallVector<mlir::Value> arguments{size};
  if (!gen.functionTable.checkCall(form, *allocate, arguments))
    return mlir::failure();
  auto pointer = gen.functionTable.callValues(form, *allocate, arguments);
  if (failed(pointer) || pointer->empty())
    return mlir::failure();
  for (const auto &[i, value] : enumerate(values))
    make<mlir::LLVM::StoreOp>(form, value, fieldAddress(info, i, pointer->front(), form));
  return pointer;
}
} // namespace lispier
