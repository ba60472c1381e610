//===- RecordFiles.cpp - records read from a model's files ----------------===//
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/RecordTypes.h"
#include "Core/StringGlobals.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Records.h"
#include "Values/Collectives.h"
#include "Values/Memory.h"
#include "Values/TensorForms.h"
#include "Values/TensorSizes.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;

namespace lispier {
/// A part of the record that is loaded: what is in the table of RecordReader (lispier/Checkpoint/RecordReader.h), or a
/// number that the program gives.
struct Records::LoadedPart {
  mlir::Type type;
  std::string line;
  mlir::Value number;
  const Form *place = nullptr;
  mlir::ArrayAttr over; ///< The axes along which each rank has a part; null if all have the whole.
  int64_t dimension = 0;
  bool joins = false;   ///< A rank's part is a part of each of several tensors.
  bool ofFirst = false; ///< The first rank has the tensor, the others zeros.
};

/// What the table says of a tensor: its names, each after a tab.
struct Records::TensorNames {
  std::string names;
  bool isTransposed = false, isOptional = false;
  bool joins = false; ///< Whether rows of several tensors follow each other.
  mlir::ArrayAttr over;
  std::optional<int64_t> split;
  bool ofFirst = false;
  bool isWrong = false; ///< An option is, which was reported.
};

/// Reads and drops the first of the options :transposed, :optional, :split d, :first and :over axis; false if it is
/// none of these. The tensor has `rank` dimensions.
bool Records::tensorOption(ArrayRef<const Form *> &options, int64_t rank, TensorNames &found) {
  const Form *option = options.consume_front();
  bool isSplit = option->isKeyword("split"), isOver = option->isKeyword("over");
  found.isTransposed |= option->isKeyword("transposed");
  found.isOptional |= option->isKeyword("optional");
  if (!isSplit && !isOver && !option->isKeyword("first"))
    return option->isKeyword("transposed") || option->isKeyword("optional");
  if (!gen.collectives.hasMesh()) {
    error("mesh-axis", option, "`:" + option->text() + "` divides a tensor among ranks: the program needs a mesh")
        .withHint("(defmesh [tp]) at the top level names an axis along which ranks are numbered");
    return found.isWrong = true;
  }
  if (option->isKeyword("first"))
    return found.ofFirst = true;
  if (options.empty())
    return false;
  const Form *value = options.consume_front();
  if (isOver) {
    found.over = gen.collectives.axes(value);
    found.isWrong |= !found.over;
    return true;
  }
  int64_t dimension;
  if (value->isNumber() && !value->text().getAsInteger(10, dimension) && dimension >= 0 && dimension < rank) {
    found.split = dimension;
    return true;
  }
  error("mesh-axis", value,
        "`:split` is a dimension of the tensor, from 0 to " + Twine(rank - 1) + ", not " + value->str());
  return found.isWrong = true;
}

/// The names of a field's tensor: "name" or ["name" "other" ... option ...], where ["name" "name" ...] among these are
/// tensors whose rows follow each other.
bool Records::tensorNames(const RecordInfo::Field &field, const Form *form, TensorNames &found) {
  ArrayRef<const Form *> items = form->isVector() ? form->items() : ArrayRef(form);
  ArrayRef<const Form *> options = items.drop_until([](const Form *item) { return item->isKeyword(); });
  items = items.drop_back(options.size());
  bool ok = !items.empty();
  while (ok && !found.isWrong && !options.empty())
    ok = tensorOption(options, cast<mlir::RankedTensorType>(field.type).getRank(), found);
  if (found.isWrong)
    return false;
  auto isName = [](const Form *item) { return item->isString(); };
  auto isJoined = [&](const Form *item) {
    return item->isVector() && item->size() > 0 && all_of(item->items(), isName);
  };
  for (const Form *item : items)
    if (isName(item))
      found.names += "\t" + item->text().str();
    else if (isJoined(item))
      for (const Form *part : item->items()) {
        found.names += (part == (*item)[0] ? "\t" : " + ") + part->text().str();
        found.joins |= part != (*item)[0];
      }
  found.joins &= found.split == 0;
  if (ok && found.split.has_value() + found.ofFirst != bool(found.over)) {
    error("mesh-axis", form,
          "a tensor has either `:split`, a dimension, or `:first`, and then `:over`, an axis of the mesh")
        .withHint("write [\"name\" :split 0 :over tp] or [\"name\" :first :over tp]");
    return false;
  }
  if (ok && all_of(items, [&](const Form *item) { return isName(item) || isJoined(item); }))
    return true;
  error("record-field", form,
        "the field `" + field.name->text() + "` is a tensor, which the table gives its name in the files, not " +
            form->str())
      .note(field.form->range(), "the field is declared here")
      .withHint("write \"name\" or [\"name\" \"other\" ... :transposed :optional :split d :over axis], with {} for the "
                "number "
                "of a layer");
  return false;
}

bool Records::loadedParts(const RecordInfo &info, const Form *map, const std::string &path, unsigned lists,
                          mlir::Type floats, SmallVectorImpl<LoadedPart> &parts) {
  if (!map->isMap()) {
    error("record-field", map, "the parts of `" + info.name + "` are a map {:field \"name\" ...}, not " + map->str());
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i + 1 < map->size(); i += 2)
    if (!gen.recordTypes.findField(RecordType::get(&context, info.name, 0, {}), (*map)[i]->text())) {
      unknownField((*map)[i], info);
      ok = false;
    }
  for (const RecordInfo::Field &field : info.fields) {
    const Form *given = map->get(field.name->text());
    std::string name = path + field.name->text().str();
    if (!given) {
      error("record-field", map, "the field `" + field.name->text() + "` of `" + info.name + "` is missing")
          .note(field.form->range(), "the field is declared here");
      ok = false;
      continue;
    }
    if (auto record = dyn_cast<RecordType>(field.type)) {
      ok &=
          loadedParts(*gen.recordTypes.find(record.record()), given, name + ".", lists + record.lists(), floats, parts);
      continue;
    }
    if (!isTensor(field.type)) {
      mlir::Value number = gen.evaluator->emitValue(given, field.type);
      if (number && number.getType() != field.type)
        error("record-field", given,
              "`" + field.name->text() + "` of `" + info.name + "` is " + typeText(field.type) + ", and not " +
                  typeText(number.getType()));
      ok &= number && number.getType() == field.type;
      parts.push_back({field.type, "", number, given, {}});
      continue;
    }
    mlir::Type type = RecordTypes::withElements(field.type, floats), element = mlir::getElementTypeOrSelf(type);
    std::string dimensions;
    TensorNames names;
    if ((!element.isF32() && !element.isBF16()) || lists > 1) {
      error("record-field", given,
            lists > 1 ? Twine("`load-checkpoint` reads lists, and no lists of lists")
                      : "`load-checkpoint` reads tensors of f32 and bf16, not of " + mlir::debugString(element))
          .note(field.form->range(), "the field is declared here");
      ok = false;
      continue;
    }
    ok &= tensorNames(field, given, names);
    for (auto [d, dimension] : enumerate(TypeReader::dimensionsOfType((*field.form)[1])))
      dimensions += (d == 0 ? "" : " ") + (TypeReader::isSizeName(dimension) ? path + "/" : std::string()) +
                    dimension->str() +
                    (names.split == int64_t(d) ? "/"
                     : names.ofFirst && d == 0 ? "/+"
                                               : "");
    parts.push_back({RecordTypes::inLists(type, lists),
                     name + (element.isF32() ? "\tF32\t" : "\tBF16\t") + (lists ? "1\t" : "0\t") + dimensions +
                         (names.isTransposed ? "\t1" : "\t0") + (names.isOptional ? "\t1" : "\t0") + names.names + "\n",
                     {},
                     given,
                     names.over,
                     names.split.value_or(0) + lists,
                     names.joins,
                     names.ofFirst});
  }
  return ok;
}

/// (load-checkpoint Record path {:field "name" ...} "layout"?)
mlir::FailureOr<Values> Records::emitLoadCheckpoint(const Form *form) {
  const Form *record = (*form)[1];
  mlir::Type type = gen.recordTypes.typeOf(record, 0);
  mlir::Type floats = type && !record->isSymbol() ? gen.types.parseType((*record)[2]) : mlir::Type();
  SmallVector<LoadedPart> parts;
  if (!type ||
      !loadedParts(*gen.recordTypes.find(RecordTypes::nameIn(record)->text()), (*form)[3], "", 0, floats, parts))
    return mlir::failure();
  mlir::ArrayAttr over;
  for (const LoadedPart &part : parts) {
    if (over && part.over && part.over != over) {
      error("mesh-axis", part.place, "all divided tensors of a record are divided over the same axes");
      return mlir::failure();
    }
    over = part.over ? part.over : over;
  }
  mlir::Value path = gen.tensors.path(form, (*form)[2]);
  mlir::Value layout = form->size() == 5 ? gen.tensors.path(form, (*form)[4]) : gen.strings.address("", form);
  if (!path || !layout)
    return mlir::failure();
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&context), i64 = builder.getI64Type();
  auto call = [&](StringRef symbol, mlir::TypeRange results, SmallVector<mlir::Value> arguments, bool isVariadic) {
    SmallVector<mlir::Type> types(mlir::ValueRange(arguments).getTypes());
    gen.functionTable.runtimeFunction(
        symbol, builder.getFunctionType(isVariadic ? ArrayRef(types).take_front() : ArrayRef(types), results),
        isVariadic, form);
    return *gen.functionTable.callValues(form, *gen.functionTable.find(symbol), arguments);
  };
  std::string table;
  for (const LoadedPart &part : parts)
    table += part.line;
  auto asI64 = [&](mlir::Value value) { return make<mlir::arith::IndexCastOp>(form, i64, value).getResult(); };
  SmallVector<mlir::Value> opened{path, layout, gen.strings.address(table, form)};
  if (over) {
    std::string axes;
    for (mlir::StringAttr axis : over.getAsRange<mlir::StringAttr>())
      axes += (axes.empty() ? "" : " ") + axis.str();
    opened.append({asI64(make<comm::SizeOp>(form, builder.getIndexType(), over)), gen.strings.address(axes, form)});
  }
  mlir::Value files = call(over ? "lispier_record_open_parts" : "lispier_record_open", pointer, opened, false).front();
  if (over) // A call of its own: sizes, which follow from the first, are the same on all ranks.
    call("lispier_record_read", {}, {files, asI64(make<comm::RankOp>(form, builder.getIndexType(), over))}, false);
  mlir::Value wrong = call("lispier_record_error", pointer, {files}, false).front();
  auto null = make<mlir::LLVM::ZeroOp>(form, pointer);
  mlir::Value fails = make<mlir::LLVM::ICmpOp>(form, mlir::LLVM::ICmpPredicate::ne, wrong, null);
  auto branch = make<mlir::scf::IfOp>(form, fails, /*withElseRegion=*/false);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    call("lispier_rt_check_failed", {},
         {gen.strings.address(gen.sizes.site(form) + ": error[tensor-file]: %s\n", form), wrong}, true);
  }
  Values values;
  int64_t number = 0; // Of the part in the table.
  for (const LoadedPart &part : parts) {
    if (part.number) {
      values.push_back(part.number);
      continue;
    }
    mlir::Value which = gen.literals.constantInt(form, i64, number++);
    auto tensor = cast<mlir::RankedTensorType>(part.type);
    SmallVector<mlir::Value> sizes;
    for (int64_t d : seq(tensor.getRank())) {
      mlir::Value size =
          call("lispier_record_size", i64, {files, which, gen.literals.constantInt(form, i64, d)}, false).front();
      sizes.push_back(make<mlir::arith::IndexCastOp>(form, builder.getIndexType(), size));
    }
    auto memref = mlir::MemRefType::get(tensor.getShape(), tensor.getElementType());
    mlir::Value buffer =
        gen.memory.memrefOf(form, memref, call("lispier_record_data", pointer, {files, which}, false).front(), sizes);
    // Kernels read it, and nothing writes it. Tensors with the same name are in memory once.
    mlir::Value uploaded = make<device::UploadOp>(form, memref, buffer, /*once=*/true);
    mlir::Value value = make<mlir::bufferization::ToTensorOp>(form, tensor, uploaded, /*restrict=*/true);
    if (part.over)
      value = make<comm::AssumeOp>(form, tensor, value, part.dimension, part.over, part.joins, part.ofFirst);
    values.push_back(value);
  }
  return Values{gen.recordTypes.pack(form, cast<RecordType>(type), values)};
}
} // namespace lispier
