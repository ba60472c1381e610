//===- Cache.h - which cache a command uses --------------------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_CACHE_H
#define LISPIER_TOOLS_LISPIER_CACHE_H

#include "lispier/Session/ProgramCache.h"

struct Invocation;

/// The cache for a program that is run: null when the command line or the environment wants none, or asks to see what a
/// compilation does.
std::unique_ptr<lispier::ProgramCache> openCache(const Invocation &invocation);
#endif
