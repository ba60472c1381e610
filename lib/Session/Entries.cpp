//===- Entries.cpp - the functions that a library exports -----------------===//
#include "State.h"
#include "lispier/Session/Session.h"
#include "mlir/IR/SymbolTable.h"

using namespace llvm;

namespace lispier {
std::optional<Interface> Session::findEntries(mlir::ModuleOp module, StringRef prefix) {
  Interface interface{prefix.str(), readEntries(module)};
  auto placeOf = [&](const InterfaceEntry &entry) {
    return sourceRange(mlir::SymbolTable::lookupSymbolIn(module, entry.function)->getLoc(), sources());
  };
  if (interface.entries.empty()) {
    diags()
        .error("export-missing", sourceRange(module.getLoc(), sources()), "this program has nothing to export")
        .withHint("a library has functions whose parameters have types, such as (defn f [(: x (tensor n f32))] ...), "
                  "or those that (export f ...) names");
    return std::nullopt;
  }
  StringMap<const InterfaceEntry *> known;
  for (InterfaceEntry &entry : interface.entries) {
    entry.symbol = (prefix + "_" + cName(entry.name)).str();
    StringRef own = StringRef(entry.symbol).drop_front(prefix.size());
    if (own == "_error" || own == "_interrupt" || own == "_catch_interrupts")
      diags()
          .error("export-twice", placeOf(entry),
                 "`" + entry.name + "` has the C name `" + entry.symbol + "`, which is a function of each library")
          .withHint("export it by another name");
    auto [old, isNew] = known.try_emplace(entry.symbol, &entry);
    if (!isNew)
      diags()
          .error("export-twice", placeOf(entry),
                 "`" + old->second->name + "` and `" + entry.name + "` have one C name, `" + entry.symbol + "`")
          .note(placeOf(*old->second), "`" + old->second->name + "` is defined here")
          .withHint("in C, what is no letter or digit becomes _");
  }
  if (diags().hasErrors())
    return std::nullopt;
  return interface;
}
} // namespace lispier
