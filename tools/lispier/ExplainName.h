//===- ExplainName.h - lispier doc ----------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_EXPLAINNAME_H
#define LISPIER_TOOLS_LISPIER_EXPLAINNAME_H

struct Invocation;

/// Prints what the name `input` means in the language, and in the program of the first argument if there is one, or
/// with `searches` one line for each name that it finds. Returns false, after a message on standard error, if there is
/// none or the program cannot be read.
bool explainName(const Invocation &invocation);
#endif
