//===- Result.h - a value, or the one message that says why not -*- C++ -*-===//
//
// The component Checkpoint reports every failure as a value: what was read,
// what is wrong with it and what was expected, in one line that a program
// prints as it is.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_RESULT_H
#define LISPIER_CHECKPOINT_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace lispier {
/// One line: `path: what is wrong, what was expected`.
struct Failure {
  std::string message;
};

/// A value or a failure; asking for the wrong one is a mistake of the caller.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : content(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }
  const Failure &failure() const { return std::get<1>(content); }

private:
  std::variant<T, Failure> content;
};

/// The value of what can only succeed or fail.
struct Done {};
} // namespace lispier
#endif
