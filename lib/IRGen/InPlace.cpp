//===- InPlace.cpp - tensors that are written in place --------------------===//
#include "InPlace.h"
#include "Arithmetic.h"
#include "FunctionScope.h"
#include "Functions.h"
#include "Generator.h"
#include "Generics.h"
#include "TensorForms.h"
#include "TensorSignatures.h"
#include "lispier/Group/Inout.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
namespace bufferization = mlir::bufferization;
namespace tensor = mlir::tensor;

namespace lispier {
const Form *InPlace::withoutInout(const Form *type) {
  return type->isCall("inout") && type->size() == 2 ? (*type)[1] : type;
}

bool InPlace::isInout(const Form *parameter) {
  return parameter->isCall(":") && parameter->size() == 3 && (*parameter)[2]->isCall("inout");
}

SmallVector<unsigned> InPlace::inoutArguments(ArrayRef<const Form *> parameters) {
  SmallVector<unsigned> numbers;
  for (auto [i, parameter] : enumerate(parameters))
    if (isInout(parameter))
      numbers.push_back(i);
  return numbers;
}

//===----------------------------------------------------------------------===//
// The function under construction.
//===----------------------------------------------------------------------===//

Storage &InPlace::add(StringRef name, mlir::Value bound, const Form *parameter) {
  state.storages.push_back(std::make_unique<Storage>());
  Storage &storage = *state.storages.back();
  storage.name = name.str();
  storage.bound = storage.current = bound;
  storage.version = ++lastVersion;
  storage.parameter = parameter;
  state.versions[rootOf(bound)] = {&storage, storage.version};
  return storage;
}

bool InPlace::enter(mlir::func::FuncOp function, ArrayRef<const Form *> parameters) {
  state = State();
  state.function = function;
  for (unsigned i : inoutArguments(parameters)) {
    function.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName, builder.getBoolAttr(true));
    function.setArgAttr(i, kInoutAttr, builder.getUnitAttr());
    add((*parameters[i])[1]->text(), function.getArgument(i), parameters[i]).block = &function.getBody().front();
  }
  return true;
}

SmallVector<mlir::Type> InPlace::parameterTypes() const {
  SmallVector<mlir::Type> types;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->parameter)
      types.push_back(storage->bound.getType());
  return types;
}

Values InPlace::finalValues() const {
  Values all;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->parameter)
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
  if (storage.isMemref()) // What was read of it so far keeps the version.
    for (mlir::Operation *user : storage.bound.getUsers())
      if (isa<bufferization::ToTensorOp>(user))
        state.versions.try_emplace(user->getResult(0), Version{&storage, storage.version});
  storage.version = ++lastVersion;
  storage.written = written;
  if (storage.isMemref())
    return;
  storage.current = value;
  state.versions[value] = {&storage, storage.version};
}

mlir::Value InPlace::read(const Form *symbol, mlir::Value bound) {
  if (state.storages.empty() || !isTensor(bound))
    return bound;
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (storage->bound == bound && storage->name == symbol->text())
      return storage->current;
  auto found = state.versions.find(rootOf(bound));
  if (found == state.versions.end() || found->second.storage->version == found->second.number)
    return bound;
  const Storage &storage = *found->second.storage;
  Diag &diag = error("tensor-inout", symbol,
                     "`" + symbol->text() + "` has the numbers that `" + storage.name +
                         "` had before it was written: to keep them would take a copy");
  diag.note(storage.written->range(), "`" + storage.name + "` is written here, in place");
  diag.note(gen.scope.scopes.lookup(symbol->text()).range, "`" + symbol->text() + "` is part of its memory");
  diag.withHint("use `" + symbol->text() + "` before, or keep what is computed from it");
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

mlir::Value InPlace::boundTo(const Form *symbol) const {
  if (!symbol->isSymbol() || !gen.scope.scopes.count(symbol->text()))
    return {};
  Binding binding = gen.scope.scopes.lookup(symbol->text());
  return binding.values.size() == 1 ? binding.values[0] : mlir::Value();
}

/// The storage that the symbol, or the symbol in (at symbol ...), names so far.
Storage *InPlace::find(const Form *path) const {
  while (path->isCall("at") && path->size() > 1)
    path = (*path)[1];
  mlir::Value bound = boundTo(path);
  for (const std::unique_ptr<Storage> &storage : state.storages)
    if (bound && storage->bound == bound && storage->name == path->text())
      return storage.get();
  return nullptr;
}

/// As `find`, and makes a storage of the tensor or memref that the symbol names.
Storage *InPlace::open(const Form *path) {
  while (path->isCall("at") && path->size() > 1)
    path = (*path)[1];
  if (Storage *known = find(path))
    return known;
  mlir::Value bound = boundTo(path);
  if (!bound || !(isTensor(bound) || isa<mlir::MemRefType>(bound.getType())) || state.versions.contains(rootOf(bound)))
    return nullptr;
  Storage &storage = add(path->text(), bound, nullptr);
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
  while (auto made = storage.isMemref() ? mlir::Value() : root) {
    mlir::Operation *op = made.getDefiningOp();
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
  if (form->isSymbol() && gen.scope.scopes.count(form->text())) {
    if (gen.scope.scopes.lookup(form->text()).values.empty())
      return std::nullopt;
    mlir::Value bound = boundTo(form);
    Storage *storage = find(form);
    if (!storage && bound && isTensor(bound) && !read(form, bound))
      return std::nullopt;
    if (!storage)
      storage = open(form);
    if (storage)
      return checkWritable(form, *storage, user) ? std::optional<Place>({storage, {}}) : std::nullopt;
    auto other = bound && isTensor(bound) ? state.versions.find(rootOf(bound)) : state.versions.end();
    if (other != state.versions.end()) {
      error("tensor-inout", form,
            "`" + form->text() + "` and `" + other->second.storage->name + "` are names of one buffer, and `" + user +
                "` writes to it: a copy would be needed")
          .note(gen.scope.scopes.lookup(form->text()).range, "`" + form->text() + "` is bound here")
          .withHint("pass `" + other->second.storage->name + "`");
      return std::nullopt;
    }
    if (bound) {
      error("tensor-inout", form,
            "`" + user + "` writes to a tensor or a memref, and `" + form->text() + "` is " +
                typeText(bound.getType()));
      return std::nullopt;
    }
  }
  error("tensor-inout", form,
        "`" + user +
            "` writes to this argument: it is the name of a tensor or a memref, or "
            "(at name index ...), and not " +
            (form->height() > 3 ? "(" + form->head() + " ...)" : Twine(form->str())))
      .withHint("name the value first: (def name value)");
  return std::nullopt;
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
    starts.resize(cast<mlir::RankedTensorType>(all.getType()).getRank(), builder.getIndexAttr(0));
    value = gen.tensors.insert(form, value, all, starts);
  }
  writeWhole(form, place, value);
}

//===----------------------------------------------------------------------===//
// Calls.
//===----------------------------------------------------------------------===//

bool InPlace::checkApart(ArrayRef<Argument> written, mlir::ValueRange arguments, ArrayRef<const Form *> places) {
  auto memoryOf = [&](mlir::Value value) -> mlir::Value {
    value = rootOf(value);
    if (auto known = state.versions.find(value); known != state.versions.end())
      return known->second.storage->bound;
    if (auto read = value.getDefiningOp<bufferization::ToTensorOp>())
      return read.getBuffer();
    return value;
  };
  for (const Argument &each : written)
    for (auto [i, value] : enumerate(arguments)) {
      if (i == each.number || !value || !isTensor(value) || memoryOf(value) != each.place.storage->bound)
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
  else if (FunctionInfo *info = gen.functions.findFunction(callee); info && info->form && info->form->isCall("defn"))
    definition = info->form;
  for (const Form *item : definition ? definition->items().drop_front(2) : ArrayRef<const Form *>())
    if (item->isVector())
      return item->items();
  return {};
}

/// The storages outside of a region that its forms write, and for each the first form that does. A name that the forms
/// bind anew counts as well, which carries a value that does not change.
void InPlace::findWritten(const Form *form, SmallVectorImpl<std::pair<Storage *, const Form *>> &written) {
  if (!form->isList() && !form->isVector())
    return;
  auto note = [&](const Form *path) {
    Storage *storage = open(path);
    if (storage && none_of(written, [&](auto &known) { return known.first == storage; }))
      written.push_back({storage, form});
  };
  if (form->isCall("update") && form->size() > 1 && isParameter((*form)[1]))
    note((*form)[1]);
  ArrayRef<const Form *> arguments =
      form->isList() ? form->items().drop_front(!form->items().empty()) : ArrayRef<const Form *>();
  StringRef callee = form->head();
  if (form->isCall(mlir::func::CallOp::getOperationName()) && form->size() > 1 && (*form)[1]->isMap()) {
    const Form *symbol = (*form)[1]->get("callee");
    callee = symbol ? symbol->text().ltrim('@') : StringRef();
    arguments = arguments.drop_front();
  }
  if (!callee.empty() && !findSpecialForm(callee))
    for (unsigned i : inoutArguments(parametersOf(callee)))
      if (i < arguments.size())
        note(arguments[i]);
  for (const Form *item : form->items())
    findWritten(item, written);
}

CarriedTensors::CarriedTensors(InPlace &inPlace, ArrayRef<const Form *> body, bool repeats)
    : inPlace(inPlace), repeats(repeats) {
  SmallVector<std::pair<Storage *, const Form *>> written;
  for (const Form *form : body)
    inPlace.findWritten(form, written);
  for (auto [storage, writer] : written)
    if (!storage->isMemref())
      all.push_back({storage, writer, storage->block, storage->version});
  for (const Carried &each : all)
    values.push_back(each.storage->current);
  for (auto [storage, writer] : written)
    if (storage->isMemref())
      all.push_back({storage, writer, nullptr, storage->version});
}

void CarriedTensors::enter(mlir::Block *block, mlir::ValueRange inside) {
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
  for (auto [i, each] : enumerate(all)) {
    if (!each.storage->isMemref())
      each.storage->block = each.block;
    inPlace.newVersion(*each.storage, i < after.size() ? after[i] : mlir::Value(), each.writer);
  }
}
} // namespace lispier
