//===- Interface.h - what a library exports ---------------------*- C++ -*-===//
//
// Read of a module's entries (Group/EntryAttributes.h), and written as JSON, as a C
// header and as text for people.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_INTERFACE_INTERFACE_H
#define LISPIER_INTERFACE_INTERFACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lispier {
/// A parameter or a result: a number, a tensor, or a record of values.
struct InterfaceValue {
  std::string name;
  std::string type; ///< "f32", "i64", "index", ...: of the number or the elements. Empty for a record.
  bool isTensor = false, isWritten = false;
  /// A size that is known, its name or an expression, or "_".
  std::vector<std::variant<int64_t, std::string>> sizes;
  std::string record; ///< The record's name.
  std::vector<InterfaceValue> fields;

  bool isRecord() const { return !record.empty(); }
  /// "f32 [n c]", "f32", "Block".
  std::string text() const;
};

struct InterfaceEntry {
  std::string name, doc, place;
  std::string symbol; ///< The C name, "PREFIX_NAME".
  std::vector<InterfaceValue> parameters, results;
  // Of the module:
  std::string function, sizeFunction;
  std::vector<int64_t> destinations; ///< As in EntryAttributes.h.

  /// The numbers and tensors of parameters, then of results, with their paths, "model.blocks.weight".
  void eachLeaf(llvm::function_ref<void(const InterfaceValue &, llvm::StringRef path)> leaf) const;
  /// "(softmax x) -> f32 [n c]", a line for each parameter, and the documentation.
  std::string usage() const;
};

struct Interface {
  std::string prefix; ///< Of C names.
  std::vector<InterfaceEntry> entries;
  std::vector<std::string> targets; ///< Of the library, "cuda:sm_90a", "cpu".

  std::string toJson() const;
  /// A C11 header, which C++ may include. `guard`: the name of the file.
  std::string toHeader(llvm::StringRef file) const;
};

/// The entries of a module.
std::vector<InterfaceEntry> readEntries(mlir::ModuleOp module);
/// The C name for a name of the language, where what C does not allow becomes `_`.
std::string cName(llvm::StringRef name);
/// Code and bits of an element type in DLPack.
struct DLPackType {
  uint8_t code, bits;
};
DLPackType dlpackType(llvm::StringRef type);
} // namespace lispier
#endif
