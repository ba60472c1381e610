//===- IndexSum.h - sums of indices and sizes -------------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_INDEXSUM_H
#define LISPIER_LIB_TENSOR_FORMULAS_INDEXSUM_H

#include "ScalarForm.h"
#include <map>

namespace lispier {
/// A constant, and multiples of integers that are not known when compiling.
struct IndexSum {
  using Ref = ScalarForm::Ref;
  struct ById {
    bool operator()(Ref a, Ref b) const { return a->id < b->id; }
  };
  std::map<Ref, int64_t, ById> terms; ///< No factor is 0.
  int64_t constant = 0;

  IndexSum() = default;
  IndexSum(int64_t constant) : constant(constant) {}
  static IndexSum of(Ref term) {
    IndexSum sum;
    sum.terms[term] = 1;
    return sum;
  }

  int64_t factorOf(Ref term) const {
    auto known = terms.find(term);
    return known == terms.end() ? 0 : known->second;
  }
  IndexSum operator*(int64_t factor) const {
    IndexSum product(constant * factor);
    if (factor)
      for (auto [term, own] : terms)
        product.terms[term] = own * factor;
    return product;
  }
  IndexSum operator+(const IndexSum &other) const {
    IndexSum sum = *this;
    sum.constant += other.constant;
    for (auto [term, factor] : other.terms)
      if ((sum.terms[term] += factor) == 0)
        sum.terms.erase(term);
    return sum;
  }
  IndexSum operator-() const { return *this * -1; }
  IndexSum operator-(const IndexSum &other) const { return *this + -other; }
  bool operator==(const IndexSum &other) const { return constant == other.constant && terms == other.terms; }
};
} // namespace lispier
#endif
