//===- Reader.h - text to forms --------------------------------*- C++ -*-===//
//
// Does the lexing, the bracket structure and the dialect names: `m/addi` is
// read as `arith.addi` after (require-dialect [arith :as m]). It knows no
// special form but require-dialect and use-dialect, and expands nothing.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_READER_H
#define LISPIER_SYNTAX_READER_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include <string>
#include <vector>

namespace lispier {
/// What the reader asks about dialects; Session answers from MLIR's registry.
class DialectNames {
public:
  virtual ~DialectNames() = default;
  virtual bool isDialect(llvm::StringRef name) const = 0;
  /// Every registered dialect, for near misses.
  virtual std::vector<std::string> dialects() const = 0;
};

struct ReadOptions {
  /// Null: every dialect name is accepted (tests of the reader alone, the fuzzer).
  const DialectNames *dialects = nullptr;
  /// Dialects that need no (require-dialect ...): the Prelude's own files set it.
  bool allDialectsRequired = false;
};

/// Reads the whole buffer `bufferId` of the sink's SourceMgr. Errors go to `diags`; what could
/// be read is returned all the same.
std::vector<const Form *> readForms(unsigned bufferId, FormArena &arena, DiagSink &diags, const ReadOptions &options);
} // namespace lispier
#endif
