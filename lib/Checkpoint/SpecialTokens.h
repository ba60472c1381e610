//===- SpecialTokens.h - what the files beside vocab.json add ---*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_SPECIALTOKENS_H
#define LISPIER_LIB_CHECKPOINT_SPECIALTOKENS_H

#include "lispier/Checkpoint/AddedTokens.h"
#include <map>

namespace lispier {
/// A token that is found in text whole. Its id is -1 where only the vocabulary has it.
struct NamedToken {
  AddedToken token;
  bool isSpecial = false;
};

/// The tokens that added_tokens.json, special_tokens_map.json and tokenizer_config.json of `folder` name, by their
/// spelling; those of `known`, which a program names, are special too. Fails for a file that is not as transformers
/// writes it.
Result<std::map<std::string, NamedToken>> readSpecialTokens(const std::string &folder,
                                                            const std::vector<std::string> &known);
} // namespace lispier
#endif
