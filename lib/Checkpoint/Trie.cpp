//===- Trie.cpp - a set of texts, searched by what begins a text ----------===//
#include "lispier/Checkpoint/Trie.h"
#include <algorithm>

using namespace lispier;

Trie::Trie(std::vector<std::pair<std::string_view, int32_t>> texts) {
  std::sort(texts.begin(), texts.end());
  struct Range {
    size_t begin, end, depth;
  };
  std::vector<Range> ranges{{0, texts.size(), 0}}; // Of each node, the texts whose way goes through it.
  nodes.emplace_back();
  for (size_t node = 0; node < ranges.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    for (; begin < end && texts[begin].first.size() == depth; ++begin) // Those that end here are first.
      nodes[node].number = texts[begin].second;
    nodes[node].children = static_cast<uint32_t>(nodes.size());
    for (size_t last; begin < end; begin = last) {
      char label = texts[begin].first[depth];
      for (last = begin; last < end && texts[last].first[depth] == label;)
        ++last;
      ranges.push_back({begin, last, depth + 1});
      nodes.push_back({0, -1, static_cast<uint8_t>(label)});
    }
  }
  nodes.push_back({static_cast<uint32_t>(nodes.size())});
}

uint32_t Trie::step(uint32_t node, char byte) const {
  auto label = static_cast<uint8_t>(byte);
  auto end = nodes.begin() + nodes[node + 1].children;
  auto found = std::lower_bound(nodes.begin() + nodes[node].children, end, label,
                                [](const Node &child, uint8_t wanted) { return child.label < wanted; });
  return found != end && found->label == label ? static_cast<uint32_t>(found - nodes.begin()) : kRoot;
}
