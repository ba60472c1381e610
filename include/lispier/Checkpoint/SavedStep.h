//===- SavedStep.h - checkpoints of a training run -------------*- C++ -*-===//
//
// A run's folder has a folder for each checkpoint, step-N, and a link `latest` to
// the last one. A checkpoint is written as .step-N.tmp, brought to the disk, and
// renamed, and only then the link; both are replaced by renaming, and what is
// removed is renamed first. So whatever ends the program, `latest` is complete.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_SAVEDSTEP_H
#define LISPIER_CHECKPOINT_SAVEDSTEP_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <string>

namespace lispier {
/// A checkpoint under construction. One program at a time writes to a run's folder.
class SavedStep {
public:
  /// Begins the checkpoint of a step; makes the run's folder if there is none, and removes what a program that was
  /// ended has left.
  static Result<SavedStep> begin(const std::string &run, int64_t step);
  SavedStep(SavedStep &&other) noexcept;
  SavedStep &operator=(SavedStep &&) = delete;
  /// Removes the checkpoint unless it has been committed.
  ~SavedStep();

  /// The path of a file of the checkpoint, to be written before `commit`.
  std::string file(const std::string &name) const { return temporary + "/" + name; }
  Result<Done> writeText(const std::string &name, const std::string &text) const;
  /// Copies a file, which keeps its name; nothing if there is none.
  Result<Done> copy(const std::string &path) const;
  /// Makes this the run's last checkpoint, and removes those of earlier steps but the last `keep` - 1.
  Result<Done> commit(int64_t keep);
  /// The folder that `commit` makes.
  const std::string &path() const { return name; }

private:
  SavedStep() = default;
  Result<Done> replaceStep() const;
  Result<Done> replaceLink() const;
  Result<Done> removeOld(int64_t keep) const;

  std::string run, name, temporary; ///< `temporary` is empty when there is nothing to remove.
  int64_t step = 0;
};

/// The file that each checkpoint has: the place in the run.
constexpr const char *kStateFile = "state.json";

/// The folder of the last checkpoint: `path` itself if it is one, else the one of the link `latest`, else of the
/// largest step.
Result<std::string> findSavedStep(const std::string &path);
} // namespace lispier
#endif
