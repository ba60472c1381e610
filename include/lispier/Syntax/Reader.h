//===- Reader.h - text to forms --------------------------------*- C++ -*-===//
//
// Performs lexing, bracket matching and resolution of dialect names: `m/addi` is
// read as `arith.addi` after (require-dialect [arith :as m]). It interprets no
// form other than require-dialect and use-dialect, and expands nothing.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_READER_H
#define LISPIER_SYNTAX_READER_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include <string>
#include <vector>

namespace lispier {
/// The reader's view of the dialects; Session implements it with MLIR's registry.
class DialectNames {
public:
  virtual ~DialectNames() = default;
  virtual bool isDialect(llvm::StringRef name) const = 0;
  /// All registered dialects, for suggestions.
  virtual std::vector<std::string> dialects() const = 0;
};

struct ReadOptions {
  /// Null: accept every dialect name (tests of the reader alone, the fuzzer).
  const DialectNames *dialects = nullptr;
  /// Dialects need no (require-dialect ...); set for the Prelude's own files.
  bool allDialectsRequired = false;
};

/// Reads the whole buffer `bufferId` of the sink's SourceMgr. Reports errors to `diags` and still returns
/// the forms that could be read.
std::vector<const Form *> readForms(unsigned bufferId, FormArena &arena, DiagSink &diags, const ReadOptions &options);
} // namespace lispier
#endif
