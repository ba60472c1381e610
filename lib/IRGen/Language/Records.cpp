//===- Records.cpp - records of tensors -----------------------------------===//
#include "Records.h"
#include "Core/FormEvaluator.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "InPlace.h"
#include "TensorSignatures.h"
#include "Values/TensorForms.h"
#include "Values/TensorSizes.h"
#include "lispier/Group/SizeNames.h"

using namespace llvm;

namespace lispier {
//===----------------------------------------------------------------------===//
// Values.
//===----------------------------------------------------------------------===//

mlir::Value Records::fitted(const Form *form, mlir::Value value, RecordType type, const Twine &what) {
  auto own = dyn_cast<RecordType>(value.getType());
  if (!own || own.record() != type.record() || own.lists() != type.lists())
    return value;
  Values parts;
  std::string about = what.str();
  for (auto [part, wanted] : zip(RecordTypes::partsOf(value), type.parts()))
    parts.push_back(gen.signatures.fitted(form, part, wanted, about));
  return gen.recordTypes.pack(form, type, parts);
}

mlir::Value Records::field(const Form *form, mlir::Value value, StringRef name) {
  auto type = cast<RecordType>(value.getType());
  const RecordInfo::Field *found = gen.recordTypes.findField(type, name);
  if (!found)
    return {};
  auto record = dyn_cast<RecordType>(RecordTypes::inLists(found->type, type.lists()));
  return record ? gen.recordTypes.pack(form, record,
                                       RecordTypes::partsOf(value).slice(found->first, record.parts().size()))
                : RecordTypes::partsOf(value)[found->first];
}

void Records::unknownField(const Form *name, const RecordInfo &info) {
  SmallVector<std::string> names;
  for (const RecordInfo::Field &field : info.fields)
    names.push_back(field.name->text().str());
  std::string near = didYouMean(name->text(), names);
  error("record-field", name, "`" + info.name + "` has no field `" + name->text() + "`")
      .note(info.form->range(), "`" + info.name + "` is defined here")
      .withHint("its fields are " + join(names, ", ") + (near.empty() ? "" : "; " + near));
}

/// (:field record)
mlir::FailureOr<Values> Records::emitField(const Form *form) {
  const Form *key = (*form)[0];
  if (form->size() != 2) {
    error("macro-arity", form, "a field is read as (:" + key->text() + " record)");
    return mlir::failure();
  }
  mlir::Value value = gen.evaluator->emitValue((*form)[1]);
  if (!value)
    return mlir::failure();
  auto type = dyn_cast<RecordType>(value.getType());
  if (!type) {
    error("record-field", (*form)[1],
          "`:" + key->text() + "` reads a field of a record, and this is " + typeText(value.getType()));
    return mlir::failure();
  }
  if (mlir::Value found = field(form, value, key->text()))
    return isa<RecordType>(found.getType()) ? Values{found} : resultOf(gen.inPlace.readPart(form, found));
  RecordInfo &info = *gen.recordTypes.find(type.record());
  for (const RecordInfo::Field &field : info.fields) // The name of a size.
    for (auto [d, name] : enumerate(TypeReader::dimensionsOfType((*field.form)[1])))
      if (TypeReader::isSizeName(name) && name->text() == key->text())
        return Values{
            gen.sizes.value(form, gen.sizes.size(form, RecordTypes::partsOf(value)[field.first], type.lists() + d))};
  unknownField(key, info);
  return mlir::failure();
}

mlir::Value Records::element(const Form *form, mlir::Value list, mlir::Value index) {
  auto type = dyn_cast<RecordType>(list.getType());
  if (!type)
    return gen.tensors.element(form, list, Size(index));
  Values parts;
  for (mlir::Value part : RecordTypes::partsOf(list))
    parts.push_back(gen.tensors.element(form, part, Size(index)));
  return gen.recordTypes.pack(form, RecordType::get(&context, type.record(), type.lists() - 1, {}), parts);
}

void Records::nameSizes(mlir::Value value, const Twine &name) {
  auto type = cast<RecordType>(value.getType());
  RecordInfo &info = *gen.recordTypes.find(type.record());
  StringMap<Size> seen;
  Sizes counts; // Of the lists.
  for (auto [i, field] : enumerate(info.fields)) {
    if (auto record = dyn_cast<RecordType>(field.type)) {
      mlir::Value part = this->field(info.form, value, field.name->text());
      nameSizes(part, name + "." + field.name->text());
      continue;
    }
    auto argument = dyn_cast<mlir::BlockArgument>(RecordTypes::partsOf(value)[field.first]);
    if (!argument || !isTensor(argument))
      continue;
    ArrayRef<const Form *> declared = TypeReader::dimensionsOfType((*field.form)[1]);
    SmallVector<std::string> all;
    for (size_t d : seq<size_t>(cast<mlir::RankedTensorType>(argument.getType()).getRank())) {
      const Form *size = d < type.lists() ? nullptr : declared[d - type.lists()];
      all.push_back(size && TypeReader::isSizeName(size)
                        ? (name + "." + size->text()).str()
                        : (name + "." + field.name->text() + "[" + Twine(d) + "]").str());
    }
    argument.setLoc(withSizeNames(argument.getLoc(), all));
    Sizes sizes = gen.sizes.sizes(field.form, argument);
    for (unsigned d : seq(type.lists()))
      if (d < counts.size())
        sizes[d] = counts[d];
      else
        counts.push_back(sizes[d]);
    for (auto [d, size] : enumerate(declared))
      if (TypeReader::isSizeName(size))
        sizes[type.lists() + d] = seen.try_emplace(size->text(), sizes[type.lists() + d]).first->second;
    gen.sizes.setSizes(argument, sizes);
  }
}

//===----------------------------------------------------------------------===//
// Construction.
//===----------------------------------------------------------------------===//

/// A vector of records as a list of them.
mlir::Value Records::stacked(const Form *form, const RecordInfo &info, const RecordInfo::Field &field,
                             const Form *vector) {
  auto type = cast<RecordType>(field.type);
  auto single = RecordType::get(&context, type.record(), 0, {});
  SmallVector<Values> parts(type.parts().size());
  for (const Form *item : vector->items()) {
    mlir::Value value = gen.evaluator->emitValue(item);
    if (!value)
      return {};
    auto own = dyn_cast<RecordType>(value.getType());
    if (!own || own.record() != single.record() || own.lists()) {
      error("record-field", item,
            "an element of `" + field.name->text() + "` is " + type.record() + ", and not " + typeText(value.getType()))
          .note(field.form->range(), "the field is declared here");
      return {};
    }
    for (auto [all, part] : zip(parts, RecordTypes::partsOf(value)))
      all.push_back(part);
  }
  if (vector->size() == 0) {
    error("record-field", vector, "a list has at least one record");
    return {};
  }
  Values all;
  for (Values &each : parts) {
    mlir::Value whole = gen.tensors.stacked(vector, vector->items(), each);
    if (!whole)
      return {};
    all.push_back(whole);
  }
  return gen.recordTypes.pack(form, type, all);
}

/// Checks a field's value, and brings it to the type `wanted` of the field. `lists`: how many dimensions more than
/// declared all tensors have, which make the record a list.
bool Records::checkField(const Form *form, const RecordInfo &info, const RecordInfo::Field &field, mlir::Type wanted,
                         const Form *place, mlir::Value &value, std::optional<unsigned> &lists) {
  auto wrong = [&]() {
    error("record-field", place,
          "`" + field.name->text() + "` of `" + info.name + "` is " + typeText(wanted) + ", and not " +
              (isTensor(value) ? gen.sizes.text(value) : typeText(value.getType())))
        .note(field.form->range(), "the field is declared here");
    return false;
  };
  auto memref = dyn_cast<mlir::MemRefType>(value.getType());
  if (memref && isTensor(wanted))
    value = gen.signatures.fitted(place, value, mlir::RankedTensorType::get(memref.getShape(), memref.getElementType()),
                                  "the field");
  if (auto record = dyn_cast<RecordType>(wanted)) {
    auto own = dyn_cast<RecordType>(value.getType());
    if (!own || own.record() != record.record() || own.lists() < record.lists())
      return wrong();
    if (lists.value_or(own.lists() - record.lists()) != own.lists() - record.lists())
      return wrong();
    lists = own.lists() - record.lists();
    value = fitted(place, value, cast<RecordType>(RecordTypes::joined(own, RecordTypes::inLists(record, *lists))),
                   "`" + field.name->text() + "`");
    return true;
  }
  if (!isTensor(wanted))
    return value.getType() == wanted || wrong();
  auto type = dyn_cast<mlir::RankedTensorType>(value.getType()), declared = cast<mlir::RankedTensorType>(wanted);
  int64_t more = type ? type.getRank() - declared.getRank() : -1;
  if (more < 0 || type.getElementType() != declared.getElementType() || lists.value_or(more) != more)
    return wrong();
  for (auto [size, given] : zip(declared.getShape(), type.getShape().drop_front(more)))
    if (!mlir::ShapedType::isDynamic(size) && !mlir::ShapedType::isDynamic(given) && size != given)
      return wrong();
  lists = more;
  value = gen.signatures.fitted(place, value, RecordTypes::joined(type, RecordTypes::inLists(wanted, more)),
                                "`" + field.name->text() + "`");
  return true;
}

/// Equal names are equal sizes in one record.
bool Records::checkSizes(const Form *form, const RecordInfo &info, ArrayRef<const Form *> places,
                         ArrayRef<mlir::Value> values, unsigned lists) {
  StringMap<std::pair<Size, size_t>> seen;
  for (auto [i, field] : enumerate(info.fields)) {
    if (!isTensor(values[i]))
      continue;
    Sizes sizes = gen.sizes.sizes(places[i], values[i]);
    SmallVector<std::pair<std::string, Size>> named;
    for (unsigned d : seq(lists))
      named.push_back({"the list's length" + (d ? " " + std::to_string(d) : std::string()), sizes[d]});
    for (auto [d, name] : enumerate(TypeReader::dimensionsOfType((*field.form)[1])))
      if (TypeReader::isSizeName(name))
        named.push_back({("`" + name->text() + "`").str(), sizes[lists + d]});
    for (auto &[name, size] : named) {
      auto [entry, isNew] = seen.try_emplace(name, std::pair(size, i));
      if (isNew)
        continue;
      auto [first, earlier] = entry->second;
      std::optional<int64_t> a = TensorSizes::known(first), b = TensorSizes::known(size);
      std::string fields = "in `" + info.fields[earlier].name->text().str() + "`";
      if (a && b && *a != *b) {
        error("record-size", places[i],
              "`" + info.name + "`: " + name + " is " + Twine(*a) + " " + fields + ", " +
                  gen.sizes.text(values[earlier]) + ", and " + Twine(*b) + " in `" + field.name->text() + "`, " +
                  gen.sizes.text(values[i]))
            .note(places[earlier]->range(), "this field is " + gen.sizes.text(values[earlier]))
            .note(info.form->range(), "`" + info.name + "` is defined here")
            .withHint("sizes of one name are equal in a record");
        return false;
      }
      gen.sizes.check(places[i], first, size, "record-size",
                      "`" + info.name + "`: " + name + " is %ld " + fields + " and %ld in `" + field.name->text() + "`",
                      {first, size});
    }
  }
  return true;
}

/// Puts the value of `place` where the parts of a field are, with their types and sizes. False after an error.
bool Records::replaceField(const Form *place, StringRef name, mlir::Type type, MutableArrayRef<mlir::Value> parts) {
  auto record = dyn_cast<RecordType>(type);
  if (record && place->isMap())
    return replace(place, record, parts);
  mlir::Value value = gen.evaluator->emitValue(place, record || isTensor(parts[0]) ? mlir::Type() : type);
  if (!value)
    return false;
  std::string field = ("`" + name + "`").str();
  auto own = dyn_cast<RecordType>(value.getType());
  mlir::ValueRange given = own ? RecordTypes::partsOf(value) : mlir::ValueRange(value);
  bool fits = record ? own && own.record() == record.record() && own.lists() == record.lists() : !own;
  for (auto [before, after] : zip(parts, fits ? given : mlir::ValueRange())) {
    mlir::Value now = gen.signatures.fitted(place, after, before.getType(), field);
    fits &= now && now.getType() == before.getType();
    if (fits && isTensor(now) && !gen.sizes.checkEqual(place, now, field, before, "the one before"))
      return false;
    before = now;
  }
  if (!fits)
    error("record-field", place, field + " is " + typeText(type) + ", and not " + typeText(value.getType()));
  return fits;
}

/// Replaces the parts of a record by the values that a map has for its fields.
bool Records::replace(const Form *map, RecordType type, MutableArrayRef<mlir::Value> parts) {
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *key = (*map)[i];
    const RecordInfo::Field *found = key->isKeyword() ? gen.recordTypes.findField(type, key->text()) : nullptr;
    if (!found) {
      unknownField(key, *gen.recordTypes.find(type.record()));
      return false;
    }
    auto record = dyn_cast<RecordType>(RecordTypes::inLists(found->type, type.lists()));
    auto own = parts.slice(found->first, record ? record.parts().size() : 1);
    if (!replaceField((*map)[i + 1], key->text(), record ? mlir::Type(record) : own.front().getType(), own))
      return false;
  }
  return true;
}

/// (with record {:field value ...})
mlir::FailureOr<Values> Records::emitWith(const Form *form) {
  mlir::Value value = gen.evaluator->emitValue((*form)[1]);
  if (!value)
    return mlir::failure();
  auto type = dyn_cast<RecordType>(value.getType());
  if (!type || !(*form)[2]->isMap()) {
    error("record-field", (*form)[type ? 2 : 1],
          type ? "`with` names fields and their values" : "`with` takes a record, and not " + typeText(value.getType()))
        .withHint("write (with record {:field value ...})");
    return mlir::failure();
  }
  Values parts(RecordTypes::partsOf(value));
  if (!replace((*form)[2], type, parts))
    return mlir::failure();
  return Values{gen.recordTypes.pack(form, type, parts)};
}

/// (Name {:field value ...}), (Name value ...), (Name f32 value ...)
mlir::FailureOr<Values> Records::emitRecord(const Form *form, RecordInfo &info) {
  if (!gen.recordTypes.read(info))
    return mlir::failure();
  auto defined = [&](Diag &diag) {
    diag.note(info.form->range(), "`" + info.name + "` is defined here");
    return mlir::failure();
  };
  ArrayRef<const Form *> given = form->items().drop_front();
  mlir::Type floats;
  if (given.size() > 1 && given[0]->isSymbol() && (given.size() > info.fields.size() || given[1]->isMap())) {
    floats = dyn_cast_if_present<mlir::FloatType>(gen.types.readType(given[0]->text()));
    given = given.drop_front(bool(floats));
  }
  SmallVector<const Form *> places(info.fields.size(), nullptr);
  if (given.size() == 1 && given[0]->isMap()) {
    const Form *map = given[0];
    for (size_t i = 0; i + 1 < map->size(); i += 2) {
      auto *found = find_if(info.fields, [&](auto &field) { return field.name->text() == (*map)[i]->text(); });
      if (found == info.fields.end()) {
        unknownField((*map)[i], info);
        return mlir::failure();
      }
      places[found - info.fields.begin()] = (*map)[i + 1];
    }
  } else if (given.size() == info.fields.size()) {
    for (auto [place, item] : zip(places, given))
      place = item;
  } else
    return defined(error("record-field", form,
                         "`" + info.name + "` has " + Twine(info.fields.size()) + " fields, not " + Twine(given.size()))
                       .withHint("write (" + info.name + " value ...) or (" + info.name + " {:field value ...})"));
  SmallVector<mlir::Value> values;
  std::optional<unsigned> lists;
  for (auto [field, place] : zip(info.fields, places)) {
    if (!place)
      return defined(error("record-field", form, "`" + field.name->text() + "` of `" + info.name + "` is missing"));
    mlir::Type type = RecordTypes::withElements(field.type, floats);
    auto record = dyn_cast<RecordType>(field.type);
    values.push_back(record && record.lists() == 1 && place->isVector()
                         ? stacked(form, info, field, place)
                         : gen.evaluator->emitValue(place, isTensor(field.type) ? mlir::Type() : field.type));
    if (!values.back() || !checkField(form, info, field, type, place, values.back(), lists))
      return mlir::failure();
  }
  if (!checkSizes(form, info, places, values, lists.value_or(0)))
    return mlir::failure();
  return Values{gen.recordTypes.pack(form, RecordType::get(&context, info.name, lists.value_or(0), {}),
                                     RecordTypes::flatten(values))};
}
} // namespace lispier
