//===- Result.h - a value or an error message ------------------*- C++ -*-===//
//
// Checkpoint returns every failure as a value with one line of text, which names
// the file, what is wrong and what was expected, and which a program can print as
// it is.
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

/// A value or a failure. Accessing the one that is not there is undefined.
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

/// The value of an operation without a result.
struct Done {};
} // namespace lispier
#endif
