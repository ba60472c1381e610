//===- Normalize.h - Unicode's normalization form C ------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_NORMALIZE_H
#define LISPIER_CHECKPOINT_NORMALIZE_H

#include <string>
#include <string_view>

namespace lispier {
/// Normalization form C (composed characters) of valid UTF-8.
std::string toNfc(std::string_view text);
} // namespace lispier
#endif
