//===- RecordTypes.cpp - the types that defrecord defines -----------------===//
#include "RecordTypes.h"
#include "CoreParts.h"
#include "Types.h"
#include "ValueTypes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace llvm;

namespace lispier {
struct RecordTypeStorage : mlir::TypeStorage {
  using KeyTy = std::tuple<StringRef, unsigned, ArrayRef<mlir::Type>>;
  explicit RecordTypeStorage(const KeyTy &key) : key(key) {}
  bool operator==(const KeyTy &other) const { return key == other; }
  static RecordTypeStorage *construct(mlir::TypeStorageAllocator &allocator, const KeyTy &key) {
    auto [name, lists, parts] = key;
    return new (allocator.allocate<RecordTypeStorage>())
        RecordTypeStorage({allocator.copyInto(name), lists, allocator.copyInto(parts)});
  }
  KeyTy key;
};

namespace {
/// A record and the records in it have at most so many parts. Each is a value of its own; that some records hold two of
/// the one before doubles their number.
constexpr size_t kMostParts = 1 << 14;

/// Types that exist while IR is generated.
class IRGenDialect : public mlir::Dialect {
public:
  explicit IRGenDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<IRGenDialect>()) {
    addTypes<RecordType>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "irgen"; }
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IRGenDialect)

  void printType(mlir::Type type, mlir::DialectAsmPrinter &printer) const override {
    auto record = cast<RecordType>(type);
    printer << "record<" << record.record() << ">";
  }
};
} // namespace

RecordType RecordType::get(mlir::MLIRContext *context, StringRef record, unsigned lists, ArrayRef<mlir::Type> parts) {
  return Base::get(context, record, lists, parts);
}
StringRef RecordType::record() const { return std::get<0>(getImpl()->key); }
unsigned RecordType::lists() const { return std::get<1>(getImpl()->key); }
ArrayRef<mlir::Type> RecordType::parts() const { return std::get<2>(getImpl()->key); }

mlir::Type RecordTypes::inLists(mlir::Type type, unsigned lists) {
  if (auto record = dyn_cast<RecordType>(type)) {
    SmallVector<mlir::Type> parts;
    for (mlir::Type part : record.parts())
      parts.push_back(inLists(part, lists));
    return RecordType::get(type.getContext(), record.record(), record.lists() + lists, parts);
  }
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !lists)
    return type;
  SmallVector<int64_t> shape(lists, mlir::ShapedType::kDynamic);
  append_range(shape, tensor.getShape());
  return mlir::RankedTensorType::get(shape, tensor.getElementType());
}

mlir::Type RecordTypes::withElements(mlir::Type type, mlir::Type element) {
  if (!element)
    return type;
  if (auto record = dyn_cast<RecordType>(type)) {
    SmallVector<mlir::Type> parts;
    for (mlir::Type part : record.parts())
      parts.push_back(withElements(part, element));
    return RecordType::get(type.getContext(), record.record(), record.lists(), parts);
  }
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  return tensor && isa<mlir::FloatType>(tensor.getElementType()) ? tensor.clone(element) : type;
}

mlir::Type RecordTypes::joined(mlir::Type type, mlir::Type declared) {
  auto own = dyn_cast<RecordType>(type), record = dyn_cast<RecordType>(declared);
  if (own && record && own.record() == record.record() && own.lists() == record.lists()) {
    SmallVector<mlir::Type> parts;
    for (auto [part, wanted] : zip(own.parts(), record.parts()))
      parts.push_back(joined(part, wanted));
    return RecordType::get(type.getContext(), record.record(), record.lists(), parts);
  }
  auto a = dyn_cast<mlir::ShapedType>(type), b = dyn_cast<mlir::ShapedType>(declared);
  if (!a || !b || !a.hasRank() || !b.hasRank() || a.getRank() != b.getRank() ||
      a.getElementType() != b.getElementType())
    return declared;
  SmallVector<int64_t> shape(b.getShape());
  for (auto [size, given] : zip(shape, a.getShape()))
    if (mlir::ShapedType::isDynamic(size))
      size = given;
  return mlir::RankedTensorType::get(shape, a.getElementType());
}

std::pair<std::string, std::string> RecordTypes::differingTexts(mlir::Type a, mlir::Type b) {
  std::string first = typeText(a), second = typeText(b);
  auto own = dyn_cast<RecordType>(a), other = dyn_cast<RecordType>(b);
  if (first == second && own && other)
    for (auto [part, wanted] : zip(own.parts(), other.parts()))
      if (part != wanted)
        return {first + " with " + typeText(part), second + " with " + typeText(wanted)};
  return {first, second};
}

RecordTypes::RecordTypes(CoreParts &gen) : Part(gen) { gen.context.loadDialect<IRGenDialect>(); }

RecordInfo *RecordTypes::find(StringRef name) {
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second.get();
}

void RecordTypes::collect(const Form *form) {
  auto info = std::make_unique<RecordInfo>();
  info->name = (*form)[1]->text().str();
  info->form = form;
  known.try_emplace((*form)[1]->text(), std::move(info)); // Expand has reported a second one.
}

void RecordTypes::define() {
  for (auto &entry : known)
    read(*entry.second);
}

bool RecordTypes::read(RecordInfo &info) {
  if (info.state != RecordInfo::State::Unread)
    return info.state == RecordInfo::State::Read;
  info.state = RecordInfo::State::Reading;
  bool ok = true;
  for (const Form *field : info.form->items().drop_front(2))
    ok &= readField(info, field);
  info.state = ok ? RecordInfo::State::Read : RecordInfo::State::Wrong;
  return ok;
}

bool RecordTypes::readField(RecordInfo &info, const Form *form) {
  const Form *given = (*form)[1];
  mlir::Type type = gen.types.parseType(given);
  if (!type)
    return false;
  auto record = dyn_cast<RecordType>(type);
  if (!record && !isTensor(type) && !type.isIntOrIndexOrFloat()) {
    error("type-parse", given,
          "a field is a tensor, a number, a record or a list of records, not " + mlir::debugString(type))
        .withHint("write [name (tensor size ... type)], [name Record] or [name (list Record)]");
    return false;
  }
  size_t parts = info.parts.size() + (record ? record.parts().size() : 1);
  if (parts > kMostParts) {
    error("record-size", form,
          "with this field `" + info.name + "` has " + Twine(parts) + " tensors and numbers; a record has at most " +
              Twine(kMostParts))
        .note(info.form->range(), "`" + info.name + "` is defined here")
        .withHint("many records of one kind are a list: [" + (*form)[0]->text() + " (list Record)]");
    return false;
  }
  info.fields.push_back({(*form)[0], form, type, unsigned(info.parts.size())});
  flatten(type, info.parts);
  return true;
}

const Form *RecordTypes::nameIn(const Form *form) {
  const Form *name = form->isCall("record") && form->size() == 3 ? (*form)[1] : form;
  return name->isSymbol() ? name : nullptr;
}

mlir::Type RecordTypes::typeOf(const Form *form, unsigned lists) {
  const Form *name = nameIn(form);
  mlir::Type element = name && name != form ? gen.types.parseType((*form)[2]) : mlir::Type();
  if (!name || (name != form && !isa_and_present<mlir::FloatType>(element))) {
    if (!name || element)
      error("type-parse", form, "a record with other floats is (record Name type), not " + form->str())
          .withHint("write (record Name f32)");
    return {};
  }
  RecordInfo *info = find(name->text());
  if (!info) {
    SmallVector<std::string> names;
    for (auto &entry : known)
      names.push_back(entry.first.str());
    error("type-parse", name, "there is no record `" + name->text() + "`").withHint(didYouMean(name->text(), names));
    return {};
  }
  if (info->state == RecordInfo::State::Reading) {
    error("type-parse", name, "the record `" + info->name + "` would have itself as a part")
        .note(info->form->range(), "it is defined here");
    return {};
  }
  if (!read(*info))
    return {};
  if (lists && any_of(info->parts, [](mlir::Type part) { return !isTensor(part); })) {
    error("type-parse", name, "`" + info->name + "` has a number among its parts, and a list stacks tensors")
        .note(info->form->range(), "it is defined here")
        .withHint("a number for each element of a list is a field (tensor type)");
    return {};
  }
  return inLists(withElements(RecordType::get(&context, info->name, 0, info->parts), element), lists);
}

mlir::Value RecordTypes::pack(const Form *form, RecordType type, mlir::ValueRange parts) {
  // The parts may know more sizes than the declaration.
  type = RecordType::get(&context, type.record(), type.lists(), SmallVector<mlir::Type>(parts.getTypes()));
  return make<mlir::UnrealizedConversionCastOp>(form, mlir::TypeRange(type), parts).getResult(0);
}

mlir::ValueRange RecordTypes::partsOf(mlir::Value record) {
  return record.getDefiningOp<mlir::UnrealizedConversionCastOp>().getOperands();
}

void RecordTypes::flatten(ArrayRef<mlir::Type> types, SmallVectorImpl<mlir::Type> &flat) {
  for (mlir::Type type : types)
    if (auto record = dyn_cast<RecordType>(type))
      append_range(flat, record.parts());
    else
      flat.push_back(type);
}

Values RecordTypes::flatten(mlir::ValueRange values) {
  Values flat;
  for (mlir::Value value : values)
    if (value && isa<RecordType>(value.getType()))
      append_range(flat, partsOf(value));
    else
      flat.push_back(value);
  return flat;
}

Values RecordTypes::grouped(const Form *form, mlir::ValueRange flat, ArrayRef<mlir::Type> types) {
  Values values;
  for (mlir::Type type : types) {
    auto record = dyn_cast<RecordType>(type);
    size_t count = record ? record.parts().size() : 1;
    values.push_back(record ? pack(form, record, flat.take_front(count)) : flat.front());
    flat = flat.drop_front(count);
  }
  return values;
}

void RecordTypes::eraseIn(mlir::func::FuncOp function) {
  SmallVector<mlir::UnrealizedConversionCastOp> records;
  function.walk([&](mlir::UnrealizedConversionCastOp op) {
    if (op.getNumResults() == 1 && isa<RecordType>(op.getResultTypes()[0]))
      records.push_back(op);
  });
  for (mlir::UnrealizedConversionCastOp op : reverse(records))
    op.erase();
}

const RecordInfo::Field *RecordTypes::findField(RecordType type, StringRef name) {
  for (const RecordInfo::Field &field : find(type.record())->fields)
    if (field.name->text() == name)
      return &field;
  return nullptr;
}
} // namespace lispier
