//===- Cache.h - which cache a command uses --------------------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_CACHE_H
#define LISPIER_TOOLS_LISPIER_CACHE_H

#include "lispier/Session/ProgramCache.h"

struct Invocation;

/// The cache for a program that is run: null when the command line or the environment wants none, or asks to see what a
/// compilation does, and, after a warning, where others may write to it. The error is about the environment.
llvm::Expected<std::unique_ptr<lispier::ProgramCache>> openCache(const Invocation &invocation);
#endif
