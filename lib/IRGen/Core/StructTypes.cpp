//===- StructTypes.cpp - the types that defstruct defines -----------------===//
#include "StructTypes.h"
#include "CoreParts.h"
#include "Types.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
void StructTypes::collect(const Form *form) {
  if (form->size() < 3 || !(*form)[1]->isSymbol()) {
    error("macro-shape", form, "`defstruct` needs a name and fields")
        .withHint("write (defstruct Name [field type] ...)");
    return;
  }
  StructInfo info;
  info.name = (*form)[1]->text().str();
  info.form = form;
  auto [entry, isNew] = known.try_emplace(info.name, info);
  if (!isNew)
    error("mod-dup-symbol", form, "two structs are called `" + info.name + "`")
        .note(entry->second.form->range(), "the first is here");
}

void StructTypes::layOut(StructInfo &info) {
  if (info.type || info.laidOut)
    return;
  info.laidOut = true;
  SmallVector<mlir::Type> types;
  bool ok = true;
  for (const Form *field : info.form->items().drop_front(2)) {
    if (!field->isVector() || field->size() != 2 || !(*field)[0]->isSymbol()) {
      error("macro-shape", field, "a field is [name type]");
      ok = false;
      continue;
    }
    StringRef name = (*field)[0]->text();
    if (any_of(info.fields, [&](const StructInfo::Field &other) { return other.name == name; })) {
      error("macro-shape", field, "two fields are called `" + name + "`");
      ok = false;
      continue;
    }
    auto nested = known.find((*field)[1]->text());
    if (nested != known.end() && !nested->second.type && nested->second.laidOut) {
      if (nested->second.form) // Otherwise an error in that struct has been reported.
        error("type-parse", (*field)[1], "`" + info.name + "` would hold itself")
            .withHint("a pointer to it is !llvm.ptr");
      ok = false;
      continue;
    }
    mlir::Type type = gen.types.parseType((*field)[1]);
    if (type && type.isIndex())
      type = builder.getI64Type();
    if (type && !mlir::LLVM::isCompatibleType(type)) {
      error("type-parse", (*field)[1], "a struct cannot hold " + mlir::debugString(type))
          .withHint("a pointer to it is !llvm.ptr");
      type = {};
    }
    ok &= bool(type);
    types.push_back(type);
    info.fields.push_back({name.str(), type});
  }
  if (ok)
    info.type = mlir::LLVM::LLVMStructType::getLiteral(&context, types);
}
} // namespace lispier
