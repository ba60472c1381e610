//===- OpForms.cpp - lookup in OpForms.def --------------------------------===//
#include "OpForms.h"

using namespace llvm;

namespace lispier {
StringRef attributeOfKey(StringRef op, StringRef key) {
#define LISPIER_OTHER_KEY(OP, KEY, ATTRIBUTE)                                                                          \
  if (op == OP && key == KEY)                                                                                          \
    return ATTRIBUTE;
#include "OpForms.def"
  return key;
}

bool isUnitKey(StringRef key) {
#define LISPIER_UNIT_KEY(KEY)                                                                                          \
  if (key == KEY)                                                                                                      \
    return true;
#include "OpForms.def"
  return false;
}

bool isUndeclaredKey(StringRef op, StringRef key) {
#define LISPIER_UNDECLARED_KEY(OP, KEY)                                                                                \
  if (op == OP && key == KEY)                                                                                          \
    return true;
#include "OpForms.def"
  return false;
}

bool isKeyOfShortForm(StringRef op, StringRef key) {
#define LISPIER_SHORT_KEY(OP, KEY)                                                                                     \
  if (op == OP && key == KEY)                                                                                          \
    return true;
#include "OpForms.def"
  return false;
}

StringRef usualTerminator(StringRef op) {
#define LISPIER_TERMINATOR(OP, TERMINATOR)                                                                             \
  if (op == OP)                                                                                                        \
    return TERMINATOR;
#include "OpForms.def"
  return "";
}

bool hasUncheckedVerifier(StringRef op) {
#define LISPIER_UNCHECKED_VERIFIERS(DIALECT)                                                                           \
  if (op.split('.').first == DIALECT)                                                                                  \
    return true;
#include "OpForms.def"
  return false;
}
} // namespace lispier
