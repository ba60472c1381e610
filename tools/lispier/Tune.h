//===- Tune.h - lispier tune ----------------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_TUNE_H
#define LISPIER_TOOLS_LISPIER_TUNE_H

#include "Options.h"

/// Builds the program once for each combination of what its tile programs' `:tune` lists and its launches leave open,
/// runs each build, and writes the best values as `(tuned ...)` forms to --output, else x.tuned.lisp of x.lisp. Prints
/// errors and returns the exit status.
int tune(const Invocation &invocation);
#endif
