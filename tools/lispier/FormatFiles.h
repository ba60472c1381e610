//===- FormatFiles.h - the command fmt ------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_FORMATFILES_H
#define LISPIER_TOOLS_LISPIER_FORMATFILES_H

struct Invocation;
namespace lispier {
class Session;
}

/// Formats the files of the command line. Returns false if one cannot be read or written, or would change under
/// --check.
bool formatFiles(lispier::Session &session, const Invocation &invocation);
#endif
