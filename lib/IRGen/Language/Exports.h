//===- Exports.h - functions that other programs call -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_EXPORTS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_EXPORTS_H

#include "Core/RecordTypes.h"
#include "Generator.h"

namespace lispier {
/// Attaches to each exported function what its callers must know of it (Group/EntryAttributes.h).
class Exports : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// (export function [name function] ...), of which the vectors are Expand's, for instances of generic functions.
  void add(const Form *form) { forms.push_back(form); }
  /// Describes the exported functions, once all are generated: those of `export`, or, where a library is made of a
  /// program without the form, the typed functions of its main file.
  void attach(const Program &program);

private:
  /// A function that is exported, by its definition.
  struct Function {
    const Form *name;   ///< As other programs know it.
    const Form *symbol; ///< As this one does.
    mlir::func::FuncOp op;
    const Form *parameters = nullptr, *definition = nullptr;
    llvm::SmallVector<mlir::Type> inputs; ///< Types of the parameters, which may be records.
  };
  std::optional<Function> find(const Form *name, const Form *symbol, bool reports);
  void exportFunction(const Form *name, const Form *symbol, const llvm::StringMap<llvm::StringRef> &docs, bool reports);
  /// What is around a value.
  struct Within {
    std::string path;   ///< Of the records, "model.block.".
    unsigned lists = 0; ///< Of records: as many leading dimensions more.
    bool isWritten = false;
  };
  /// The dictionary of a value; null if other programs cannot pass it.
  mlir::Attribute describe(llvm::StringRef name, mlir::Type type, llvm::ArrayRef<const Form *> sizes,
                           const Within &within);
  mlir::Attribute describeRecord(llvm::StringRef name, RecordType type, Within within);
  mlir::ArrayAttr describeResults(mlir::func::FuncOp function, unsigned count);

  llvm::SmallVector<const Form *> forms;
  llvm::StringMap<const Form *> exported; ///< By their names.
};
} // namespace lispier
#endif
