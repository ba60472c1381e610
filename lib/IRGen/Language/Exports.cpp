//===- Exports.cpp - functions that other programs call -------------------===//
#include "Exports.h"
#include "Core/FunctionTable.h"
#include "Core/Messages.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Functions.h"
#include "Generics.h"
#include "InPlace.h"
#include "lispier/Group/EntryAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace llvm;

namespace lispier {
namespace {
/// Whether DLPack and C have the type.
bool isPassable(mlir::Type type) {
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isInteger(1) ||
         type.isInteger(8) || type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}
} // namespace

mlir::Attribute Exports::describe(StringRef name, mlir::Type type, ArrayRef<const Form *> sizes, const Within &within) {
  if (auto record = dyn_cast<RecordType>(type))
    return describeRecord(name, record, within);
  mlir::NamedAttrList value;
  value.append(entry::kValueName, builder.getStringAttr(name));
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  mlir::Type element = tensor ? tensor.getElementType() : type;
  if (!isPassable(element))
    return {};
  value.append(entry::kType, mlir::TypeAttr::get(element));
  if (!tensor)
    return value.getDictionary(&context);
  SmallVector<mlir::Attribute> all(within.lists, builder.getStringAttr("_"));
  for (int64_t d : seq(tensor.getRank()))
    if (!tensor.isDynamicDim(d))
      all.push_back(builder.getI64IntegerAttr(tensor.getDimSize(d)));
    else if (d < int64_t(sizes.size()) && TypeReader::isSizeName(sizes[d]))
      all.push_back(builder.getStringAttr(within.path + sizes[d]->text()));
    else
      all.push_back(builder.getStringAttr("_"));
  value.append(entry::kSizes, builder.getArrayAttr(all));
  if (within.isWritten)
    value.append(entry::kWritten, builder.getUnitAttr());
  return value.getDictionary(&context);
}

/// Sizes of one name are equal in one record: its path is part of their names.
mlir::Attribute Exports::describeRecord(StringRef name, RecordType type, Within within) {
  within.path += (name + ".").str();
  within.lists += type.lists();
  SmallVector<mlir::Attribute> fields;
  for (const RecordInfo::Field &field : gen.recordTypes.find(type.record())->fields) {
    ArrayRef<const Form *> sizes = TypeReader::dimensionsOfType((*field.form)[1]);
    fields.push_back(describe(field.name->text(), field.type, sizes, within));
    if (!fields.back())
      return {};
  }
  mlir::NamedAttrList value;
  value.append(entry::kValueName, builder.getStringAttr(name));
  value.append(entry::kRecord, builder.getStringAttr(type.record()));
  value.append(entry::kFields, builder.getArrayAttr(fields));
  return value.getDictionary(&context);
}

mlir::ArrayAttr Exports::describeResults(mlir::func::FuncOp function, unsigned count) {
  SmallVector<mlir::Attribute> results;
  for (auto [i, type] : enumerate(function.getResultTypes().take_front(count))) {
    results.push_back(describe(count == 1 ? "result" : "result" + std::to_string(i), type, {}, {}));
    if (!results.back())
      return {};
  }
  return builder.getArrayAttr(results);
}

std::optional<Exports::Function> Exports::find(const Form *name, const Form *symbol, bool reports) {
  Function function{name, symbol, {}, nullptr, nullptr, {}};
  auto fail = [&](StringRef code, const Twine &message, const Twine &hint) {
    if (reports)
      error(code, name, message).withHint(hint);
    return std::nullopt;
  };
  GenericFunction *generic = gen.generics.find(symbol->text());
  if (FunctionInfo *info = generic ? nullptr : gen.functionTable.find(symbol->text());
      info && info->form && info->form->isCall("defn")) {
    function.definition = info->form;
    function.inputs = info->inputs;
  } else if (generic && generic->isTyped() && gen.generics.library.lookup(symbol->text()) != generic->form) {
    function.definition = generic->form;
    for (const GenericFunction::Parameter &parameter : generic->parameters)
      function.inputs.push_back(parameter.type);
  } else if (generic) {
    return fail("export-generic", "`" + symbol->text() + "` is generic: it has no one type that others could call",
                "(export (" + symbol->text() + " type ...)) exports it for the types of its parameters");
  } else {
    SmallVector<std::string> names;
    for (auto &known : gen.functionTable.known)
      if (known.second.form && known.second.form->isCall("defn"))
        names.push_back(known.first().str());
    for (auto &known : gen.generics.known)
      names.push_back(known.first.str());
    return fail("call-unknown", "there is no function `" + symbol->text() + "` that could be exported",
                didYouMean(symbol->text(), names));
  }
  mlir::Operation *module = builder.getInsertionBlock()->getParentOp();
  function.op =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(module, builder.getStringAttr(symbol->text()));
  auto shape = gen.functions.shapeOfDefn(function.definition);
  if (!function.op || !shape)
    return std::nullopt; // Its definition has an error, which is reported.
  function.parameters = shape->parameters;
  return function;
}

void Exports::exportFunction(const Form *name, const Form *symbol, const StringMap<StringRef> &docs, bool reports) {
  std::optional<Function> function = find(name, symbol, reports);
  if (!function)
    return;
  if (auto [old, isNew] = exported.try_emplace(name->text(), name); !isNew) {
    error("export-twice", name, "`" + name->text() + "` is exported twice")
        .note(old->second->range(), "first here")
        .withHint("(export (f type ... :as name)) exports it by another name");
    return;
  }
  auto refuse = [&](const Twine &what, mlir::Type type) {
    if (reports)
      error("export-type", name, "`" + symbol->text() + "` cannot be exported: " + what + " is " + typeText(type))
          .note(function->definition->range(), "`" + symbol->text() + "` is defined here")
          .withHint("other programs pass tensors, numbers, and records of these");
    else
      exported.erase(name->text());
  };
  SmallVector<mlir::Attribute> parameters;
  unsigned written = 0;
  for (auto [parameter, type] : zip(function->parameters->items(), function->inputs)) {
    StringRef own = (*parameter)[1]->text();
    bool isWritten = TypeReader::isInout(parameter);
    if (mlir::Attribute value = describe(own, type, TypeReader::dimensions(parameter), {"", 0, isWritten}))
      parameters.push_back(value);
    else
      return refuse("its parameter `" + own + "`", type);
    SmallVector<mlir::Type> parts;
    RecordTypes::flatten(type, parts);
    written += isWritten ? parts.size() : 0;
  }
  unsigned count = function->op.getNumResults() - written;
  mlir::ArrayAttr results = describeResults(function->op, count);
  if (!results)
    return refuse("a result", *find_if(function->op.getResultTypes(),
                                       [](mlir::Type type) { return !isPassable(mlir::getElementTypeOrSelf(type)); }));
  mlir::NamedAttrList entry;
  entry.append(entry::kName, builder.getStringAttr(name->text()));
  entry.append(entry::kDoc, builder.getStringAttr(docs.lookup(symbol->text())));
  entry.append(entry::kPlace, builder.getStringAttr(gen.sizes.site(function->definition)));
  entry.append(entry::kParameters, builder.getArrayAttr(parameters));
  entry.append(entry::kResults, results);
  function->op->setAttr(kEntryAttr, entry.getDictionary(&context));
}

void Exports::attach(const Program &program) {
  for (const Form *form : forms)
    for (const Form *item : form->items().drop_front()) {
      bool isInstance = item->isVector();
      exportFunction(isInstance ? (*item)[0] : item, isInstance ? (*item)[1] : item, program.docs, /*reports=*/true);
    }
  if (!forms.empty() || !gen.options.isLibrary)
    return;
  for (const Form *form : program.forms)
    if (form->isCall("defn") && !(*form)[1]->isSymbol("main") &&
        diags.sourceMgr().FindBufferContainingLoc(form->loc()) == program.buffer)
      exportFunction((*form)[1], (*form)[1], program.docs, /*reports=*/false);
}
} // namespace lispier
