//===- SmallestCut.h - the cheapest values that separate others -*- C++ -*-===//
//
// Before: values of a forward pass, of which some are there anyway, some are needed
// later, and the others can be computed of their operands again. After: which ones to
// keep, so that the needed ones can be computed and what is kept is smallest.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_DIFFERENTIATE_SMALLESTCUT_H
#define LISPIER_LIB_DIFFERENTIATE_SMALLESTCUT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <limits>

namespace lispier {
/// A directed graph whose nodes have a cost. Its smallest cut is the set of nodes, of least cost together, that are on
/// every path from a source to a target (Ford, Fulkerson 1956; each node is an edge between its two halves).
class SmallestCut {
public:
  static constexpr int64_t kUncuttable = std::numeric_limits<int64_t>::max() / 4;

  /// Returns the node's number, from 0.
  unsigned addNode(int64_t cost);
  void addEdge(unsigned from, unsigned to);
  void addSource(unsigned node);
  void addTarget(unsigned node);

  /// In the order of their numbers; of several equal cuts the one next to the sources. Some cut has to exist.
  llvm::SmallVector<unsigned> find();

private:
  struct Edge {
    unsigned to;
    int64_t rest; ///< How much more can flow.
  };

  void connect(unsigned from, unsigned to, int64_t capacity);
  bool augment();

  /// Source, target, then two halves of each node; edges are in pairs, the second in the other direction.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> edgesOf{{}, {}};
  llvm::SmallVector<Edge> edges;
  llvm::SmallVector<int64_t> reachedBy; ///< The edge by which the last search came, -1 where it did not.
};
} // namespace lispier
#endif
