//===- TokenizerHandle.h - a tokenizer in the C ABI ------------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_TOKENIZERHANDLE_H
#define LISPIER_LIB_CHECKPOINT_TOKENIZERHANDLE_H

#include "AbiHandle.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <optional>

struct lispier_tokenizer : lispier::AbiHandle {
  std::optional<lispier::Tokenizer> tokenizer;
  std::vector<int32_t> ids;
  lispier::Tokenizer::Stream stream;
  std::string text;
};
#endif
