//===- SmallestCut.cpp - the cheapest values that separate others ---------===//
#include "SmallestCut.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace lispier {
namespace {
constexpr unsigned kSource = 0, kTarget = 1, kFirst = 2;
unsigned halfBefore(unsigned node) { return kFirst + 2 * node; }
unsigned halfBehind(unsigned node) { return kFirst + 2 * node + 1; }
} // namespace

void SmallestCut::connect(unsigned from, unsigned to, int64_t capacity) {
  edgesOf[from].push_back(edges.size());
  edges.push_back({to, capacity});
  edgesOf[to].push_back(edges.size());
  edges.push_back({from, 0});
}

unsigned SmallestCut::addNode(int64_t cost) {
  unsigned node = (edgesOf.size() - kFirst) / 2;
  edgesOf.resize(edgesOf.size() + 2);
  connect(halfBefore(node), halfBehind(node), cost);
  return node;
}

void SmallestCut::addEdge(unsigned from, unsigned to) { connect(halfBehind(from), halfBefore(to), kUncuttable); }
void SmallestCut::addSource(unsigned node) { connect(kSource, halfBefore(node), kUncuttable); }
void SmallestCut::addTarget(unsigned node) { connect(halfBehind(node), kTarget, kUncuttable); }

/// Adds the flow of one shortest path; false if there is none (Edmonds, Karp 1972).
bool SmallestCut::augment() {
  reachedBy.assign(edgesOf.size(), -1);
  SmallVector<unsigned> open{kSource};
  for (unsigned next = 0; next < open.size() && reachedBy[kTarget] < 0; ++next)
    for (unsigned edge : edgesOf[open[next]])
      if (unsigned to = edges[edge].to; edges[edge].rest > 0 && to != kSource && reachedBy[to] < 0) {
        reachedBy[to] = edge;
        open.push_back(to);
      }
  if (reachedBy[kTarget] < 0)
    return false;
  int64_t flow = kUncuttable;
  auto forEachEdge = [&](auto visit) {
    for (unsigned node = kTarget; node != kSource; node = edges[reachedBy[node] ^ 1].to)
      visit(reachedBy[node]);
  };
  forEachEdge([&](int64_t edge) { flow = std::min(flow, edges[edge].rest); });
  forEachEdge([&](int64_t edge) {
    edges[edge].rest -= flow;
    edges[edge ^ 1].rest += flow;
  });
  return true;
}

SmallVector<unsigned> SmallestCut::find() {
  while (augment()) {
  }
  SmallVector<unsigned> cut;
  for (unsigned node = 0, count = (edgesOf.size() - kFirst) / 2; node < count; ++node)
    if (reachedBy[halfBefore(node)] >= 0 && reachedBy[halfBehind(node)] < 0)
      cut.push_back(node);
  return cut;
}
} // namespace lispier
