//===- AddedTokens.h - tokens that are found in text whole -----*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_ADDEDTOKENS_H
#define LISPIER_CHECKPOINT_ADDEDTOKENS_H

#include "lispier/Checkpoint/Pattern.h"
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace lispier {
/// A token that byte-pair encoding never makes by merging pairs, such as `<|im_start|>`: it is found in the text as it
/// is.
struct AddedToken {
  int32_t id;
  std::string content;
  bool singleWord = false; ///< Only where no word character is directly before or after it.
  bool leftStrip = false;  ///< White space (isWhiteSpace of Utf8.h) before it belongs to it, not to `text`.
  bool rightStrip = false; ///< The white space after it belongs to it.
};

/// Finds added tokens from left to right; of those that begin at one byte only the longest. If `singleWord` rejects it,
/// its bytes are text, and nothing shorter or inside it is tried. Of two with equal content the last added counts.
class AddedTokens {
public:
  /// The content must not be empty.
  void add(AddedToken token);
  bool empty() const { return tokens.empty(); }
  /// Calls `token(id)` for each token found in `input` and `text(between)` for the text between, where there is some,
  /// in order. Bytes that are not UTF-8 are neither white space nor word characters.
  void split(std::string_view input, const std::function<void(std::string_view)> &text,
             const std::function<void(int32_t)> &token) const;

private:
  /// The longest token at byte `at`, or null.
  const AddedToken *longestAt(std::string_view input, size_t at) const;
  /// Whether no word character (\w of UTS #18) is directly before `begin` or at `end`.
  static bool standsAlone(std::string_view input, size_t begin, size_t end);

  std::vector<AddedToken> tokens;
  /// A tree of the contents' bytes; the key is node << 8 | byte, node 0 the root.
  std::unordered_map<uint64_t, uint32_t> children;
  /// For each node the index of the token that ends there, or -1.
  std::vector<int32_t> ends = {-1};
  bool starts[256] = {}; ///< The bytes that some content begins with.
};
} // namespace lispier
#endif
