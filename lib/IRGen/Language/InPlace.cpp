//===- InPlace.cpp - tensors that are written in place --------------------===//
#include "InPlace.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Generics.h"
#include "Values/TensorForms.h"
#include "Values/TensorSizes.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
namespace bufferization = mlir::bufferization;
namespace tensor = mlir::tensor;

namespace lispier {
SmallVector<unsigned> InPlace::inoutParameters(ArrayRef<const Form *> parameters) {
  SmallVector<unsigned> numbers;
  for (auto [i, parameter] : enumerate(parameters))
    if (TypeReader::isInout(parameter))
      numbers.push_back(i);
  return numbers;
}

//===----------------------------------------------------------------------===//
// The function under construction.
//===----------------------------------------------------------------------===//

Storage &InPlace::add(StringRef name, mlir::Value bound, const Form *parameter, bool isElement) {
  state.storages.push_back(std::make_unique<Storage>());
  Storage &storage = *state.storages.back();
  storage.name = name.str();
  storage.bound = storage.current = bound;
  storage.version = ++lastVersion;
  storage.parameter = parameter;
  state.versions[isElement ? bound : rootOf(bound)] = {&storage, storage.version};
  return storage;
}

Storage &InPlace::addElement(const Form *name, bool isPart, mlir::Value element, const Storage &whole) {
  Storage &storage = add(name->text(), element, whole.parameter, /*isElement=*/true);
  storage.isPart = isPart;
  storage.block = builder.getInsertionBlock();
  return storage;
}

void InPlace::enter(mlir::func::FuncOp function, ArrayRef<const Form *> parameters, ArrayRef<mlir::Type> types,
                    ArrayRef<mlir::ValueRange> values) {
  state = State();
  state.function = function;
  for (unsigned i : inoutParameters(parameters))
    for (mlir::Value value : values[i]) {
      unsigned number = cast<mlir::BlockArgument>(value).getArgNumber();
      function.setArgAttr(number, bufferization::BufferizationDialect::kWritableAttrName, builder.getBoolAttr(true));
      function.setArgAttr(number, kInoutAttr, builder.getUnitAttr());
      Storage &storage = add((*parameters[i])[1]->text(), value, parameters[i]);
      storage.block = &function.getBody().front();
      storage.isPart = isa<RecordType>(types[i]);
    }
}

namespace {
/// An argument of the function, and not an element of one.
bool isArgument(const Storage &storage) { return storage.parameter && isa<mlir::BlockArgument>(storage.bound); }
} // namespace

SmallVector<mlir::Type> InPlace::parameterTypes() const {
  SmallVector<mlir::Type> types;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (isArgument(*storage))
      types.push_back(storage->bound.getType());
  return types;
}

Values InPlace::finalValues() const {
  Values all;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (isArgument(*storage))
      all.push_back(storage->current);
  return all;
}

/// The value whose memory this one is part of, up to values that are all of a storage.
mlir::Value InPlace::rootOf(mlir::Value value) const {
  while (!state.versions.contains(value)) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op ||
        !isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

void InPlace::newVersion(Storage &storage, mlir::Value value, const Form *written) {
  storage.version = ++lastVersion;
  storage.written = written;
  if (storage.isMemref())
    return;
  storage.current = value;
  state.versions[value] = {&storage, storage.version};
}

/// The record of what its parts are now.
mlir::Value InPlace::readRecord(const Form *symbol, mlir::Value record) {
  Values parts = RecordTypes::flatten(record);
  bool isWritten = false;
  for (mlir::Value &part : parts)
    for (const std::unique_ptr<Storage> &storage : state.storages)
      if (storage->bound == part && storage->isPart && storage->current != part) {
        part = storage->current;
        isWritten = true;
        break;
      }
  return isWritten ? gen.recordTypes.pack(symbol, cast<RecordType>(record.getType()), parts) : record;
}

mlir::Value InPlace::read(const Form *symbol, mlir::Value bound) {
  if (!state.storages.empty() && isa<RecordType>(bound.getType()))
    return readRecord(symbol, bound);
  if (state.storages.empty() || !isTensor(bound))
    return bound;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->bound == bound && storage->name == symbol->text())
      return storage->current;
  return current(symbol, bound, symbol->text(), gen.scope.scopes.lookup(symbol->text()).range);
}

mlir::Value InPlace::readPart(const Form *form, mlir::Value part) {
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->bound == part && storage->isPart)
      return storage->current;
  return isTensor(part) ? current(form, part, form->str(), SMRange()) : part;
}

/// The value itself, unless its memory has been written since.
mlir::Value InPlace::current(const Form *form, mlir::Value bound, StringRef name, SMRange place) {
  auto found = state.versions.find(rootOf(bound));
  if (found == state.versions.end() || found->second.storage->version == found->second.number)
    return bound;
  const Storage &storage = *found->second.storage;
  Diag &diag = error("tensor-inout", form,
                     "`" + name + "` has the numbers that `" + storage.name +
                         "` had before it was written: to keep them would take a copy");
  diag.note(storage.written->range(), "`" + storage.name + "` is written here, in place");
  diag.note(place, "`" + name + "` is part of its memory");
  diag.withHint("use `" + name + "` before, or keep a copy: (load tensor) makes one");
  return {};
}

bool InPlace::checkReturned(const Form *place, mlir::Value value) {
  if (!isTensor(value))
    return true;
  auto found = state.versions.find(rootOf(value));
  if (found == state.versions.end() || !found->second.storage->parameter)
    return true;
  const Storage &storage = *found->second.storage;
  error("tensor-inout", place,
        "the result is memory of `" + storage.name + "`, which is the caller's: a result would be a copy")
      .note(storage.parameter->range(), "`" + storage.name + "` is declared here")
      .withHint("the caller has `" + storage.name + "`; end the function with another value, or with (do)");
  return false;
}

//===----------------------------------------------------------------------===//
// Places.
//===----------------------------------------------------------------------===//

InPlace::Target InPlace::resolve(const Form *path, Aliases aliases) const {
  while (path->isCall("at") && path->size() > 1)
    path = (*path)[1];
  if (path->isList() && path->size() == 2 && (*path)[0]->isKeyword()) {
    Target record = resolve((*path)[1], aliases);
    auto type = dyn_cast_if_present<RecordType>(record.type);
    const RecordInfo::Field *field = type ? gen.recordTypes.findField(type, (*path)[0]->text()) : nullptr;
    if (!field)
      return {};
    size_t count = isa<RecordType>(field->type) ? cast<RecordType>(field->type).parts().size() : 1;
    mlir::ValueRange parts = mlir::ValueRange(record.parts).slice(field->first, count);
    return {RecordTypes::inLists(field->type, type.lists()), Values(parts), path->str(), true};
  }
  for (size_t i = aliases.size(); path->isSymbol() && i > 0; --i)
    if (aliases[i - 1].first == path->text())
      return resolve(aliases[i - 1].second, aliases.take_front(i - 1));
  if (!path->isSymbol() || !gen.scope.scopes.count(path->text()))
    return {};
  Binding binding = gen.scope.scopes.lookup(path->text());
  mlir::Value value = binding.values.size() == 1 ? binding.values[0] : mlir::Value();
  if (!value || !(isTensor(value) || isa<mlir::MemRefType, RecordType>(value.getType())))
    return {};
  return {value.getType(), RecordTypes::flatten(value), path->text().str(), isa<RecordType>(value.getType())};
}

Storage *InPlace::find(const Target &target, mlir::Value part) const {
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->bound == part && storage->isPart == target.isPart && (target.isPart || storage->name == target.name))
      return storage.get();
  return nullptr;
}

/// The storage of the tensor or of one part of the record that a path names; null if there is none.
Storage *InPlace::find(const Form *path) const {
  Target target = resolve(path);
  return target.parts.empty() ? nullptr : find(target, target.parts[0]);
}

/// As `find`, and makes a storage of the tensor or memref.
Storage *InPlace::open(const Target &target, mlir::Value part) {
  if (Storage *known = find(target, part))
    return known;
  if (!(isTensor(part) || isa<mlir::MemRefType>(part.getType())) || state.versions.contains(rootOf(part)))
    return nullptr;
  Storage &storage = add(target.name, part, nullptr);
  storage.isPart = target.isPart;
  storage.block = storage.isMemref() ? nullptr : builder.getInsertionBlock();
  return &storage;
}

bool InPlace::isParameter(const Form *form) {
  Storage *storage = find(form);
  return storage && storage->parameter;
}

bool InPlace::checkCopied(const Form *form, mlir::Value value) {
  auto found = state.versions.find(rootOf(value));
  if (found == state.versions.end() || !found->second.storage->parameter)
    return true;
  const Storage &storage = *found->second.storage;
  error("tensor-inout", form, "this is memory of `" + storage.name + "`: a tensor that differs from it would be a copy")
      .note(storage.parameter->range(), "`" + storage.name + "` is declared here")
      .withHint("write to it by its name: (update " + storage.name + " part [offset ...]), (update (at " +
                storage.name + " index) part [offset ...])");
  return false;
}

/// Whether the memory may be written at all, and from here.
bool InPlace::checkWritable(const Form *form, const Storage &storage, StringRef user) {
  mlir::Value root = rootOf(storage.bound);
  while (auto value = storage.isMemref() ? mlir::Value() : root) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op ||
        !isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
            op))
      break;
    root = op->getOperand(0);
  }
  auto argument = dyn_cast<mlir::BlockArgument>(root);
  if (!storage.parameter && !storage.isMemref() && argument && state.function &&
      argument.getOwner() == &state.function.getBody().front()) {
    error("tensor-inout", form,
          "`" + user + "` writes to this argument, and `" + storage.name + "` is memory of a parameter that `" +
              nameOfSymbol(state.function.getName()) + "` only reads: it would have to be copied")
        .note(gen.scope.scopes.lookup(storage.name).range, "`" + storage.name + "` is bound here")
        .withHint("a parameter that is written is (: name (inout (tensor ...)))");
    return false;
  }
  if (auto read = root.getDefiningOp<bufferization::ToTensorOp>(); read && !storage.isMemref() && !read.getWritable()) {
    error("tensor-inout", form,
          "`" + user + "` writes to this argument, and `" + storage.name +
              "` is a memref that is read: it would have to be copied")
        .withHint("pass the memref itself");
    return false;
  }
  if (storage.block && storage.block != builder.getInsertionBlock()) {
    error("tensor-inout", form,
          "`" + storage.name + "` is written here, in a region of `" +
              builder.getInsertionBlock()->getParentOp()->getName().getStringRef() +
              "`, which does not carry its new value on")
        .withHint("write it in the body of the function, or of for, fold, loop, if and replayable");
    return false;
  }
  return true;
}

std::optional<InPlace::Place> InPlace::place(const Form *form, StringRef user) {
  if (form->isCall("at") && form->size() > 1) {
    std::optional<Place> inner = place((*form)[1], user);
    mlir::Value value = inner ? load(form, *inner) : mlir::Value();
    std::optional<Sizes> starts =
        value ? gen.tensors.indices(form, value, form->items().drop_front(2)) : std::optional<Sizes>();
    if (!starts)
      return std::nullopt;
    inner->starts.append(*starts);
    return inner;
  }
  if (form->isSymbol() && gen.scope.scopes.count(form->text()) && gen.scope.scopes.lookup(form->text()).values.empty())
    return std::nullopt;
  Target target = resolve(form);
  if (target.type && target.parts.size() == 1 && !isa<RecordType>(target.type))
    return placeOf(form, target, target.parts[0], user);
  bool isLong = form->height() > 3;
  std::string what = target.type ? typeText(target.type) : isLong ? ("(" + form->head() + " ...)").str() : form->str();
  error("tensor-inout", form,
        "`" + user +
            "` writes to this argument: it is the name of a tensor or a memref, (at name index ...) or "
            "(:field name), and not " +
            what)
      .withHint("name the value first: (def name value)");
  return std::nullopt;
}

/// The place of one part of what `form` names.
std::optional<InPlace::Place> InPlace::placeOf(const Form *form, const Target &target, mlir::Value part,
                                               StringRef user) {
  Storage *storage = find(target, part);
  if (!storage && isTensor(part) && !current(form, part, target.name, SMRange()))
    return std::nullopt;
  if (!storage)
    storage = open(target, part);
  if (storage)
    return checkWritable(form, *storage, user) ? std::optional<Place>({storage, {}}) : std::nullopt;
  auto other = isTensor(part) ? state.versions.find(rootOf(part)) : state.versions.end();
  if (other == state.versions.end()) {
    error("tensor-inout", form,
          "`" + user + "` writes to a tensor or a memref, and this is " + typeText(part.getType()));
    return std::nullopt;
  }
  error("tensor-inout", form,
        "`" + target.name + "` and `" + other->second.storage->name + "` are names of one buffer, and `" + user +
            "` writes to it: a copy would be needed")
      .withHint("pass `" + other->second.storage->name + "`");
  return std::nullopt;
}

mlir::Value InPlace::argument(const Form *form, StringRef callee, unsigned number, SmallVectorImpl<Argument> &written) {
  Target target = resolve(form);
  auto record = dyn_cast_if_present<RecordType>(target.type);
  if (!record || form->isCall("at")) {
    std::optional<Place> found = place(form, callee);
    if (found)
      written.push_back({number, *found, load(form, *found)});
    return found ? written.back().value : mlir::Value();
  }
  Values parts;
  for (mlir::Value part : target.parts) {
    std::optional<Place> found = placeOf(form, target, part, callee);
    if (!found)
      return {};
    written.push_back({number, *found, load(form, *found)});
    parts.push_back(written.back().value);
  }
  return gen.recordTypes.pack(form, record, parts);
}

mlir::Value InPlace::whole(const Form *form, const Place &place) {
  const Storage &storage = *place.storage;
  if (!storage.isMemref())
    return storage.current;
  auto type = cast<mlir::MemRefType>(storage.bound.getType());
  return make<bufferization::ToTensorOp>(form, mlir::RankedTensorType::get(type.getShape(), type.getElementType()),
                                         storage.bound, /*restrict=*/true, /*writable=*/true);
}

mlir::Value InPlace::load(const Form *form, const Place &place) {
  mlir::Value value = whole(form, place);
  return place.starts.empty() ? value : gen.tensors.element(form, value, place.starts);
}

void InPlace::writeWhole(const Form *form, const Place &place, mlir::Value value) {
  Storage &storage = *place.storage;
  if (storage.isMemref()) {
    auto write = make<bufferization::MaterializeInDestinationOp>(form, mlir::Type(), value, storage.bound);
    write.setRestrict(true);
    write.setWritable(true);
  } else if (value.getType() != storage.bound.getType())
    value = make<tensor::CastOp>(form, storage.bound.getType(), value);
  newVersion(storage, value, form);
}

void InPlace::store(const Form *form, const Place &place, mlir::Value value) {
  if (!place.starts.empty()) {
    mlir::Value all = whole(form, place);
    Sizes starts(place.starts);
    // The part that was read, with the same sizes: the new value may have its sizes by names of another tensor's, and
    // bufferization takes parts for one memory if they are written alike.
    Sizes sizes(ArrayRef(gen.sizes.sizes(form, all)).drop_front(starts.size()));
    starts.resize(starts.size() + sizes.size(), builder.getIndexAttr(0));
    value = gen.tensors.insert(form, value, all, starts, sizes);
  }
  writeWhole(form, place, value);
}

/// (update tensor part [offset ...]). Of an `inout` parameter, or a part of one, a store without a value.
mlir::FailureOr<Values> InPlace::emitUpdate(const Form *form) {
  std::optional<Place> target;
  mlir::Value value;
  if (isParameter((*form)[1])) {
    if (!(target = place((*form)[1], "update")))
      return mlir::failure();
    value = load((*form)[1], *target);
  } else {
    value = gen.tensors.operand(form, (*form)[1]);
    if (value && !checkCopied((*form)[1], value))
      return mlir::failure();
  }
  mlir::Value part = value ? gen.tensors.operand(form, (*form)[2]) : mlir::Value();
  part = part ? gen.literalValues.asExpected(part, value.getType()) : mlir::Value();
  std::optional<Sizes> starts = part ? gen.tensors.partOffsets(form, value, part) : std::optional<Sizes>();
  if (!starts)
    return mlir::failure();
  if (!target && gen.scope.unused == form)
    warning("tensor-inout", form,
            "this makes a tensor that nothing uses, and leaves " + (*form)[1]->str() + " as it is")
        .withHint("name the tensor, (def new (update ...)), or declare the parameter `inout`");
  if (!target)
    return Values{gen.tensors.insert(form, part, value, *starts)};
  Sizes all(target->starts);
  all.append(*starts);
  writeWhole(form, *target, gen.tensors.insert(form, part, whole(form, *target), all));
  return Values{};
}

//===----------------------------------------------------------------------===//
// Calls.
//===----------------------------------------------------------------------===//

bool InPlace::checkApart(ArrayRef<Argument> written, mlir::ValueRange arguments, ArrayRef<const Form *> places) {
  auto memoryOf = [&](unsigned number, mlir::Value value) -> mlir::Value {
    value = rootOf(value);
    if (auto known = state.versions.find(value); known != state.versions.end())
      return known->second.storage->bound;
    auto read = value.getDefiningOp<bufferization::ToTensorOp>();
    bool isWritten = any_of(written, [&](const Argument &each) { return each.number == number; });
    return read && isWritten ? read.getBuffer() : value; // What is only read of a memref is a value.
  };
  for (const Argument &each : written)
    for (auto [i, argument] : enumerate(arguments)) {
      auto isSame = [&](mlir::Value value) {
        return value && isTensor(value) && memoryOf(i, value) == each.place.storage->bound;
      };
      if (i == each.number || !argument || none_of(RecordTypes::flatten(argument), isSame))
        continue;
      error("tensor-inout", places[i],
            "this argument and argument " + Twine(each.number + 1) +
                " are the same memory, which the call writes: a copy would be needed")
          .note(places[each.number]->range(), "this argument is written")
          .withHint("compute what is needed of it before the call, or write one of them at a time");
      return false;
    }
  return true;
}

void InPlace::storeResults(const Form *form, ArrayRef<Argument> written, mlir::ValueRange results) {
  for (auto [each, result] : zip(written, results)) {
    mlir::Value value = result;
    if (value.getType() != each.value.getType())
      value = make<tensor::CastOp>(form, each.value.getType(), value);
    store(form, each.place, value);
  }
}

//===----------------------------------------------------------------------===//
// Regions.
//===----------------------------------------------------------------------===//

ArrayRef<const Form *> InPlace::parametersOf(StringRef callee) {
  const Form *definition = nullptr;
  if (GenericFunction *generic = gen.generics.find(callee))
    definition = generic->form;
  else if (FunctionInfo *info = gen.functionTable.find(callee); info && info->form && info->form->isCall("defn"))
    definition = info->form;
  for (const Form *item : definition ? definition->items().drop_front(2) : ArrayRef<const Form *>())
    if (item->isVector())
      return item->items();
  return {};
}

/// The storages outside of a region that its forms write, and for each the first form that does. A name that the forms
/// bind anew counts as well, which carries a value that does not change. Returns whether there is a form that writes.
bool InPlace::findWritten(const Form *form, SmallVectorImpl<std::pair<StringRef, const Form *>> &aliases,
                          Written &written) {
  if ((!form->isList() && !form->isVector() && !form->isMap()) || writeNothing.contains(form))
    return false;
  bool writes = form->isCall("update");
  auto note = [&](const Form *path, bool parametersOnly) {
    Target target = resolve(path, aliases);
    for (mlir::Value part : target.parts) {
      Storage *storage = parametersOnly ? find(target, part) : open(target, part);
      if (storage && (storage->parameter || !parametersOnly) &&
          none_of(written, [&](auto &known) { return known.first == storage; }))
        written.push_back({storage, form});
    }
  };
  // (value-and-grad f argument ... :into place)
  for (size_t i = 0; form->isList() && i + 1 < form->size(); ++i)
    if ((form->isCall("value-and-grad") || form->isCall("vjp")) && (*form)[i]->isKeyword("into")) {
      writes = true;
      const Form *places = (*form)[i + 1];
      for (const Form *place : places->isVector() ? places->items() : ArrayRef(places))
        note(place, /*parametersOnly=*/false);
    }
  if (form->isCall("update") && form->size() > 1)
    note((*form)[1], /*parametersOnly=*/true);
  ArrayRef<const Form *> arguments =
      form->isList() ? form->items().drop_front(!form->items().empty()) : ArrayRef<const Form *>();
  StringRef callee = form->head();
  if (form->isCall(mlir::func::CallOp::getOperationName()) && form->size() > 1 && (*form)[1]->isMap()) {
    const Form *symbol = (*form)[1]->get("callee");
    callee = symbol ? symbol->text().ltrim('@') : StringRef();
    arguments = arguments.drop_front();
  }
  if (!callee.empty() && !findSpecialForm(callee))
    for (unsigned i : inoutParameters(parametersOf(callee))) {
      writes = true;
      if (i < arguments.size())
        note(arguments[i], /*parametersOnly=*/false);
    }
  size_t visible = aliases.size();
  const Form *elements = form->isCall("for-each") && form->size() > 1 ? (*form)[1]
                         : form->isCall("fold") && form->size() > 2   ? (*form)[2]
                                                                      : nullptr;
  for (size_t i = 0; elements && i + 1 < elements->size(); i += 2)
    aliases.push_back({(*elements)[i]->text(), (*elements)[i + 1]});
  for (const Form *item : form->items())
    writes |= findWritten(item, aliases, written);
  aliases.truncate(visible);
  if (!writes)
    writeNothing.insert(form);
  return writes;
}

CarriedTensors::CarriedTensors(InPlace &inPlace, ArrayRef<const Form *> body, bool repeats, InPlace::Aliases outside)
    : inPlace(inPlace), repeats(repeats) {
  SmallVector<std::pair<StringRef, const Form *>> aliases(outside);
  InPlace::Written written;
  for (const Form *form : body)
    inPlace.findWritten(form, aliases, written);
  for (auto [storage, writer] : written)
    if (!storage->isMemref())
      all.push_back({storage, writer, storage->block, storage->version});
  for (const Carried &each : all)
    values.push_back(each.storage->current);
  for (auto [storage, writer] : written)
    if (storage->isMemref())
      all.push_back({storage, writer, nullptr, storage->version});
}

CarriedTensors::~CarriedTensors() {
  if (isEntered)
    leave(values);
}

void CarriedTensors::enter(mlir::Block *block, mlir::ValueRange inside) {
  isEntered = true;
  for (auto [i, each] : enumerate(all)) {
    Storage &storage = *each.storage;
    if (!storage.isMemref()) {
      storage.block = block;
      storage.current = inside[i];
    }
    if (repeats)
      inPlace.newVersion(storage, storage.current, each.writer);
    else
      storage.version = each.version;
  }
}

Values CarriedTensors::current() const {
  Values now;
  for (const Carried &each : all)
    if (!each.storage->isMemref())
      now.push_back(each.storage->current);
  return now;
}

void CarriedTensors::leave(mlir::ValueRange after) {
  isEntered = false;
  for (auto [i, each] : enumerate(all)) {
    if (!each.storage->isMemref())
      each.storage->block = each.block;
    inPlace.newVersion(*each.storage, i < after.size() ? after[i] : mlir::Value(), each.writer);
  }
}
} // namespace lispier
