//===- OtherNames.cpp - lookup in OtherNames.def --------------------------===//
#include "lispier/Syntax/OtherNames.h"
#include "lispier/Syntax/Diag.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier {
ArrayRef<OtherName> otherNames() {
  static constexpr OtherName names[] = {
#define NAME(name, languages, ours) {name, languages, ours},
#include "lispier/Syntax/OtherNames.def"
  };
  return names;
}

const OtherName *findOtherName(StringRef name) {
  auto find = [](StringRef name) {
    const OtherName *found = find_if(otherNames(), [&](const OtherName &row) { return row.name == name; });
    return found == otherNames().end() ? nullptr : found;
  };
  if (const OtherName *whole = find(name))
    return whole;
  auto [before, after] = name.rsplit('.');
  if (after.empty())
    return nullptr;
  if (const OtherName *member = find(after)) // np.arange
    return member;
  return find(before); // threadIdx.x
}

std::string hintFor(StringRef name, ArrayRef<std::string> candidates) {
  if (const OtherName *other = findOtherName(name))
    return ("`" + other->name + "` of " + other->languages + " is " + other->ours).str();
  return didYouMean(name, candidates);
}
} // namespace lispier
