//===- CharacterSets.h - sets of characters that tokenizers name -*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_CHARACTERSETS_H
#define LISPIER_LIB_CHECKPOINT_CHARACTERSETS_H

#include <string>

/// As classes of a `Pattern`. Those that are functions are what the library `tokenizers` takes for such characters,
/// whose tables are of versions 8 and 9 of Unicode: a character that was added later is in none of them.
namespace lispier::CharacterSets {
inline constexpr const char *kSpace = R"(\s)";
/// The blocks of unified ideographs that BERT writes as words.
inline constexpr const char *kIdeographs =
    R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B73F}\x{2B740}-\x{2B81F}\x{2B920}-\x{2CEAF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}])";
/// What `Nmt` leaves out, and what it makes spaces.
inline constexpr const char *kNmtControl = R"([\x01-\x08\x0B\x0E-\x1F\x7F\x{8F}\x{9F}])";
inline constexpr const char *kNmtSpace =
    R"([\x09\x0A\x0C\x0D\x{1680}\x{200B}-\x{200F}\x{2028}\x{2029}\x{2581}\x{FEFF}\x{FFFD}])";

std::string control();     ///< What `BertNormalizer` leaves out of a text.
std::string accents();     ///< What its `strip_accents` leaves out of decomposed text.
std::string marks();       ///< What `StripAccents` leaves out.
std::string punctuation(); ///< ASCII's punctuation and symbols, and Unicode's punctuation.
} // namespace lispier::CharacterSets
#endif
