//===- Cache.h - select the program cache ----------------------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_CACHE_H
#define LISPIER_TOOLS_LISPIER_CACHE_H

#include "lispier/Session/ProgramCache.h"

struct Invocation;

/// Opens the cache for a program to run. Returns null if the command line or the environment disables it, if an option
/// inspects the compilation, or, after a warning, if other users can write to the directory. Returns an error if an
/// environment variable has an invalid value.
llvm::Expected<std::unique_ptr<lispier::ProgramCache>> openCache(const Invocation &invocation);
#endif
