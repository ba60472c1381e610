//===- Trie.h - a set of texts, searched by what begins a text -*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_TRIE_H
#define LISPIER_CHECKPOINT_TRIE_H

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lispier {
/// Texts with a number each, from 0 on, as a tree whose edges are bytes.
class Trie {
public:
  static constexpr uint32_t kRoot = 0;

  Trie() : nodes(2) {}
  /// Of equal texts the largest number counts.
  explicit Trie(std::vector<std::pair<std::string_view, int32_t>> texts);

  /// The node below `node` along `byte`; kRoot, which is below none, if there is none.
  uint32_t step(uint32_t node, char byte) const;
  /// The number of the text that leads to this node, or -1.
  int32_t numberAt(uint32_t node) const { return nodes[node].number; }

private:
  /// The children of a node lie in order of `label` from `children` to those of the next node.
  struct Node {
    uint32_t children = 1;
    int32_t number = -1;
    uint8_t label = 0;
  };
  std::vector<Node> nodes; ///< In breadth-first order, and one more at the end.
};
} // namespace lispier
#endif
