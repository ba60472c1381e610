//===- Format.h - source formatter -----------------------------*- C++ -*-===//
//
// Works on tokens, not on forms, so comments, blank lines, line breaks, dialect
// aliases and the spelling of literals are kept. It changes indentation, spaces
// around brackets and trailing space. Formatting is idempotent.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_FORMAT_H
#define LISPIER_SYNTAX_FORMAT_H

#include "lispier/Syntax/Diag.h"
#include <optional>
#include <string>

namespace lispier {
/// Returns the formatted text of a buffer; nothing, after errors in `diags`, if it cannot be read.
std::optional<std::string> formatSource(unsigned bufferId, DiagSink &diags);
} // namespace lispier
#endif
