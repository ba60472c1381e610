//===- TensorSignatures.cpp - (tensor t c f32) in signatures --------------===//
#include "TensorSignatures.h"
#include "Core/FunctionScope.h"
#include "Core/Literals.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Functions.h"
#include "Generator.h"
#include "Generics.h"
#include "InPlace.h"
#include "Records.h"
#include "Values/TensorForms.h"
#include "Values/TensorSizes.h"
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
namespace tensor = mlir::tensor;

namespace lispier {
bool TensorSignatures::infersResults(const Form *parameters, const Form *results) {
  auto typeOf = [](const Form *parameter) {
    return parameter->isCall(":") && parameter->size() == 3 ? TypeReader::withoutInout((*parameter)[2]) : nullptr;
  };
  auto isNumber = [&](const Form *parameter) {
    const Form *type = typeOf(parameter);
    mlir::Type read = type && type->isSymbol() ? gen.types.readType(type->text()) : mlir::Type();
    return read && read.isIntOrIndexOrFloat();
  };
  auto isTensor = [&](const Form *parameter) {
    const Form *type = typeOf(parameter);
    return type && (type->isCall("tensor") || type->isCall("list") || type->isCall("record") ||
                    (type->isSymbol() && gen.recordTypes.find(type->text())));
  };
  return !results && parameters->size() != 0 &&
         (any_of(parameters->items(), isTensor) || all_of(parameters->items(), isNumber));
}

mlir::Type TensorSignatures::parameterType(const Form *parameter) {
  const Form *given = (*parameter)[2];
  mlir::Type type = gen.types.parseType(TypeReader::withoutInout(given));
  auto isWritable = [](mlir::Type part) { return isTensor(part); };
  SmallVector<mlir::Type> parts;
  if (!type || !TypeReader::isInout(parameter))
    return type;
  RecordTypes::flatten(type, parts);
  if (all_of(parts, isWritable))
    return type;
  error("type-parse", given, "`inout` is for tensors and records of tensors, and this is " + typeText(type))
      .withHint("write (: name (inout (tensor size ... type)))");
  return {};
}

bool TensorSignatures::checkCall(const Form *form, StringRef callee, ArrayRef<const Form *> parameters,
                                 mlir::ValueRange values, ArrayRef<const Form *> places) {
  struct Given {
    int64_t size;
    size_t argument;
  };
  StringMap<Given> known;
  for (size_t i = 0; i < std::min(values.size(), parameters.size()); ++i) {
    if (!isTensor(values[i]))
      continue;
    ArrayRef<const Form *> names = TypeReader::dimensions(parameters[i]);
    if (names.size() != size_t(cast<mlir::RankedTensorType>(values[i].getType()).getRank()))
      continue; // Another type, which is reported elsewhere.
    for (auto [d, name] : enumerate(names)) {
      Size here = gen.sizes.size(nullptr, values[i], d);
      std::optional<int64_t> size = here ? TensorSizes::known(here) : std::nullopt;
      if (!size || !TypeReader::isSizeName(name))
        continue;
      auto [entry, isNew] = known.try_emplace(name->text(), Given{*size, i});
      if (entry->second.size == *size)
        continue;
      size_t first = entry->second.argument;
      auto place = [&](size_t k) { return k < places.size() && places.size() == values.size() ? places[k] : form; };
      auto text = [&](size_t k) { return gen.sizes.text(values[k]); };
      error("tensor-size", place(i),
            "`" + callee + "`: the size `" + name->text() + "` is " + Twine(entry->second.size) + " in `" +
                (*parameters[first])[1]->text() + "`, " + text(first) + ", and " + Twine(*size) + " in `" +
                (*parameters[i])[1]->text() + "`, " + text(i))
          .note(place(first)->range(), "this argument is " + text(first))
          .note(parameters[i]->range(), "the type is declared here")
          .withHint("sizes of one name are equal in a call");
      return false;
    }
  }
  return true;
}

/// "t" where the type of the parameter says so, else "x[0]"; an index or integer is called as the parameter.
void TensorSignatures::nameSizes(const Form *parameter, mlir::Value value) {
  auto argument = cast<mlir::BlockArgument>(value);
  StringRef name = (parameter->isCall(":") ? (*parameter)[1] : parameter)->text();
  auto type = dyn_cast<mlir::ShapedType>(argument.getType());
  if (argument.getType().isIntOrIndex())
    argument.setLoc(withSizeName(argument.getLoc(), name));
  if (!type || !type.hasRank())
    return;
  SmallVector<std::string> all;
  ArrayRef<const Form *> declared = TypeReader::dimensions(parameter);
  for (size_t d : seq<size_t>(type.getRank()))
    all.push_back(d < declared.size() && TypeReader::isSizeName(declared[d]) && !isSizeNumber(declared[d]->text())
                      ? declared[d]->text().str()
                      : (name + "[" + Twine(d) + "]").str());
  argument.setLoc(withSizeNames(argument.getLoc(), all));
}

bool TensorSignatures::enter(StringRef function, ArrayRef<const Form *> parameters, ArrayRef<mlir::ValueRange> values) {
  gen.sizes.beginFunction();
  StringMap<std::pair<Size, size_t>> seen;
  bool ok = true;
  auto nameOf = [&](size_t i) { return (*parameters[i])[1]->text().str(); };
  for (size_t i = 0; i < parameters.size(); ++i) {
    ArrayRef<const Form *> names = TypeReader::dimensions(parameters[i]);
    auto argument = cast<mlir::BlockArgument>(values[i].front());
    if (values[i].size() == 1)
      nameSizes(parameters[i], argument);
    if (names.empty() || !isTensor(argument))
      continue;
    Sizes sizes = gen.sizes.sizes(parameters[i], argument);
    for (auto [d, name] : enumerate(names)) {
      if (!TypeReader::isSizeName(name))
        continue;
      auto isCalled = [&](const Form *other) {
        return (other->isCall(":") ? (*other)[1] : other)->text() == name->text();
      };
      if (any_of(parameters, isCalled)) {
        error("parse-block-arg", name, "the size `" + name->text() + "` has the name of a parameter")
            .withHint("the name of a size is an index value in the body: choose another one");
        ok = false;
        continue;
      }
      auto [entry, isNew] = seen.try_emplace(name->text(), std::pair(sizes[d], i));
      if (isNew) {
        gen.sizes.name(name->text(), sizes[d]);
        gen.scope.bind(name, Values{gen.sizes.value(parameters[i], sizes[d])});
        continue;
      }
      auto [first, earlier] = entry->second;
      Sizes numbers{first};
      auto shapeOf = [&](size_t k) {
        std::string text =
            "`" + nameOf(k) + "`, " + mlir::debugString(mlir::getElementTypeOrSelf(values[k].front().getType())) + " [";
        for (auto [n, size] : enumerate(gen.sizes.sizes(parameters[k], values[k].front()))) {
          std::optional<int64_t> number = TensorSizes::known(size);
          text += (n ? " " : "") + (number ? std::to_string(*number) : "%ld");
          if (!number)
            numbers.push_back(size);
        }
        return text + "]";
      };
      std::string message =
          "`" + nameOfSymbol(function).str() + "`: the size `" + name->text().str() + "` is %ld in " + shapeOf(earlier);
      numbers.push_back(sizes[d]);
      message += ", and %ld in " + shapeOf(i) + "\n" + gen.sizes.site(parameters[earlier]) + ": note: `" +
                 nameOf(earlier) + "` is declared here";
      gen.sizes.check(parameters[i], first, sizes[d], "tensor-size", message, numbers);
      sizes[d] = first;
    }
    gen.sizes.setSizes(argument, sizes);
  }
  return ok;
}

mlir::Value TensorSignatures::fitted(const Form *form, mlir::Value value, mlir::Type wanted, const Twine &what) {
  if (auto record = dyn_cast_if_present<RecordType>(wanted))
    return gen.records.fitted(form, value, record, what);
  auto type = dyn_cast_if_present<mlir::RankedTensorType>(wanted);
  return type ? gen.tensors.fitted(form, value, type, what) : value;
}

mlir::Value TensorSignatures::returned(mlir::func::FuncOp function, const Form *place, mlir::Value value,
                                       mlir::Type type, const Form *declared) {
  std::string name = nameOfSymbol(function.getName()).str();
  if (!isTensor(type) || !isTensor(value))
    return value;
  if (!gen.inPlace.checkReturned(place, value))
    return {};
  value = fitted(place, value, type, "the result of `" + name + "`");
  if (value.getType() != type)
    return value;
  for (auto [d, size] : enumerate(TypeReader::dimensionsOfType(declared))) {
    if (!TypeReader::isSizeName(size))
      continue;
    std::optional<Size> wanted = gen.sizes.named(size->text());
    Size here = gen.sizes.size(place, value, d);
    if (!wanted) {
      error("name-undefined", size, "no parameter of `" + name + "` has the size `" + size->text() + "`")
          .withHint("_ stands for any size");
      return {};
    }
    std::optional<int64_t> a = TensorSizes::known(here), b = TensorSizes::known(*wanted);
    if (a && b && *a != *b) {
      error("tensor-size", place,
            "`" + name + "` returns " + gen.sizes.text(value) + ", where `" + size->text() + "` is " + Twine(*b))
          .note(declared->range(), "the result is declared here");
      return {};
    }
    gen.sizes.check(place, *wanted, here, "tensor-size",
                    "`" + name + "` returns a tensor whose dimension " + Twine(d) + " has the size %ld, and `" +
                        size->text() + "` is %ld",
                    {here, *wanted});
  }
  return value;
}

void TensorSignatures::declareResults(StringRef symbol, const FunctionGenerator::DefnParts &parts) {
  const Form *results = parts.results;
  if (!results)
    return;
  SmallVector<unsigned> first; // Argument of each parameter.
  unsigned next = 0;
  auto countOf = [](mlir::Type type) { return isa<RecordType>(type) ? cast<RecordType>(type).parts().size() : 1; };
  for (mlir::Type type : parts.inputs) {
    first.push_back(next);
    next += countOf(type);
  }
  SmallVector<SmallVector<TensorSizes::Source>> all;
  bool isUseful = false;
  for (auto [result, type] : zip(results->isVector() ? results->items() : ArrayRef(results), parts.resultTypes)) {
    all.resize(all.size() + countOf(type));
    for (const Form *dimension : TypeReader::dimensionsOfType(result)) {
      TensorSizes::Source source;
      for (auto [i, parameter] : enumerate(parts.parameters->items()))
        for (auto [d, name] : enumerate(TypeReader::dimensions(parameter)))
          if (!source && TypeReader::isSizeName(name) && name->text() == dimension->text())
            source = {first[i], d};
      isUseful |= source.has_value();
      all.back().push_back(source);
    }
  }
  if (isUseful)
    gen.sizes.ofResults[symbol] = std::move(all);
}

void TensorSignatures::findResults(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || gen.sizes.ofResults.contains(function.getName()))
    return;
  auto terminator = dyn_cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
  if (!terminator || !hasTensor(terminator.getOperands()))
    return;
  auto isSizeOf = [&](Size size, mlir::BlockArgument argument, int64_t d) {
    if (gen.sizes.areEqual(size, gen.sizes.size(nullptr, argument, d)))
      return true;
    auto value = dyn_cast<mlir::Value>(size);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    return dim && dim.getSource() == argument && dim.getConstantIndex() == d;
  };
  SmallVector<SmallVector<TensorSizes::Source>> all;
  for (mlir::Value value : terminator.getOperands()) {
    all.emplace_back();
    auto type = isTensor(value) ? cast<mlir::RankedTensorType>(value.getType()) : mlir::RankedTensorType();
    for (int64_t d : seq(type ? type.getRank() : 0)) {
      all.back().emplace_back();
      Size here = type.isDynamicDim(d) ? gen.sizes.size(nullptr, value, d) : Size();
      for (mlir::BlockArgument argument : function.getArguments())
        if (here && !all.back().back() && isTensor(argument))
          for (int64_t k : seq(cast<mlir::RankedTensorType>(argument.getType()).getRank()))
            if (isSizeOf(here, argument, k))
              all.back().back() = {argument.getArgNumber(), k};
    }
  }
  gen.sizes.ofResults[function.getName()] = std::move(all);
}

Values TensorSignatures::calledResults(const Form *form, mlir::ValueRange results) {
  Values all;
  for (mlir::Value value : results) {
    if (isTensor(value)) {
      Sizes sizes;
      for (int64_t d : seq(cast<mlir::RankedTensorType>(value.getType()).getRank()))
        sizes.push_back(gen.sizes.size(nullptr, value, d));
      value = gen.sizes.refined(form, value, sizes);
    }
    all.push_back(value);
  }
  return all;
}
} // namespace lispier
