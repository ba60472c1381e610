//===- Format.h - laying source text out anew ------------------*- C++ -*-===//
//
// Works on tokens, not on forms: comments, blank lines, line breaks, aliases of
// dialects and the spelling of literals are the writer's. Ours are indentation,
// the blanks around brackets and what ends a line. What was laid out once stays.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_FORMAT_H
#define LISPIER_SYNTAX_FORMAT_H

#include "lispier/Syntax/Diag.h"
#include <optional>
#include <string>

namespace lispier {
/// The text of a buffer laid out. Nothing when it cannot be read: the reason is in `diags`.
std::optional<std::string> formatSource(unsigned bufferId, DiagSink &diags);
} // namespace lispier
#endif
