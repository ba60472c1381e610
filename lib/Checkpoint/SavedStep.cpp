//===- SavedStep.cpp - checkpoints of a training run ----------------------===//
#include "lispier/Checkpoint/SavedStep.h"
#include "NewFile.h"
#include "lispier/Checkpoint/MappedFile.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace lispier;
namespace fs = std::filesystem;

namespace {
constexpr std::string_view kPrefix = "step-", kLatest = "latest";

std::string stepName(int64_t step) { return std::string(kPrefix) + std::to_string(step); }
std::string temporaryName(const std::string &run, const std::string &name) { return run + "/." + name + ".tmp"; }

std::optional<int64_t> stepOf(std::string_view name) {
  int64_t step = 0;
  if (!name.starts_with(kPrefix))
    return std::nullopt;
  name.remove_prefix(kPrefix.size());
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  return error == std::errc() && end == name.data() + name.size() && step >= 0 ? std::optional(step) : std::nullopt;
}

/// The names in a folder; none if it cannot be read.
std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

std::vector<int64_t> stepsIn(const std::string &run) {
  std::vector<int64_t> steps;
  for (const std::string &name : namesIn(run))
    if (auto step = stepOf(name))
      steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

bool isSaved(const std::string &folder) {
  struct stat status;
  return ::stat((folder + "/" + kStateFile).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void removeAll(const std::string &path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}
} // namespace

Result<SavedStep> SavedStep::begin(const std::string &run, int64_t step) {
  if (step < 0)
    return Failure{run + ": the step of a checkpoint is " + std::to_string(step) + "; expected 0 or more"};
  std::error_code error;
  fs::create_directories(run, error);
  if (error)
    return systemFailure(run, "cannot be made", error.value());
  for (const std::string &name : namesIn(run))
    if (name.starts_with("." + std::string(kPrefix)) && name.ends_with(".tmp"))
      removeAll(run + "/" + name);
  SavedStep saved;
  saved.run = run;
  saved.step = step;
  saved.name = run + "/" + stepName(step);
  std::string temporary = temporaryName(run, stepName(step));
  if (::mkdir(temporary.c_str(), 0777) != 0)
    return systemFailure(temporary, "cannot be made", errno);
  saved.temporary = std::move(temporary);
  return saved;
}

SavedStep::SavedStep(SavedStep &&other) noexcept
    : run(std::move(other.run)), name(std::move(other.name)), temporary(std::exchange(other.temporary, {})),
      step(other.step) {}

SavedStep::~SavedStep() {
  if (!temporary.empty())
    removeAll(temporary);
}

Result<Done> SavedStep::writeText(const std::string &name, const std::string &text) const {
  auto made = NewFile::create(file(name));
  if (!made)
    return made.failure();
  if (auto written = made->write(text.data(), text.size()); !written)
    return written;
  return made->finish();
}

Result<Done> SavedStep::copy(const std::string &path) const {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT)
    return Done();
  auto source = MappedFile::open(path);
  if (!source)
    return source.failure();
  return writeText(fs::path(path).filename().string(), std::string(source->text()));
}

/// Gives the folder its name. Of a step that has been saved before, the two folders change their names at once.
Result<Done> SavedStep::replaceStep() const {
  if (::rename(temporary.c_str(), name.c_str()) == 0)
    return Done();
  if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
    return systemFailure(name, "cannot be made", errno);
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, name.c_str(), RENAME_EXCHANGE) != 0)
    return systemFailure(name, "is there and cannot be replaced", errno);
  removeAll(temporary);
  return Done();
}

Result<Done> SavedStep::replaceLink() const {
  std::string link = run + "/" + std::string(kLatest), made = temporaryName(run, std::string(kPrefix) + "link");
  ::unlink(made.c_str());
  if (::symlink(stepName(step).c_str(), made.c_str()) != 0 || ::rename(made.c_str(), link.c_str()) != 0)
    return systemFailure(link, "cannot be made", errno);
  return syncFolder(run);
}

Result<Done> SavedStep::removeOld(int64_t keep) const {
  std::vector<int64_t> steps = stepsIn(run);
  // A run that began again at an earlier step leaves the later ones alone.
  std::erase_if(steps, [&](int64_t other) { return other >= step; });
  for (int64_t i = 0; i + keep - 1 < static_cast<int64_t>(steps.size()); ++i) {
    std::string old = run + "/" + stepName(steps[i]), away = temporaryName(run, stepName(steps[i]));
    if (::rename(old.c_str(), away.c_str()) != 0)
      return systemFailure(old, "cannot be removed", errno);
    removeAll(away);
  }
  return Done();
}

Result<Done> SavedStep::commit(int64_t keep) {
  if (auto synced = syncFolder(temporary); !synced)
    return synced;
  if (auto replaced = replaceStep(); !replaced)
    return replaced;
  temporary.clear();
  if (auto synced = syncFolder(run); !synced)
    return synced;
  if (auto linked = replaceLink(); !linked)
    return linked;
  return removeOld(std::max<int64_t>(keep, 1));
}

Result<std::string> lispier::findSavedStep(const std::string &path) {
  std::error_code ignored;
  auto resolved = [&](const std::string &folder) {
    fs::path whole = fs::canonical(folder, ignored);
    return stepOf(whole.filename().string()) ? path + "/" + whole.filename().string() : folder;
  };
  if (isSaved(path))
    return path;
  if (std::string latest = path + "/" + std::string(kLatest); isSaved(latest))
    return resolved(latest);
  std::vector<int64_t> steps = stepsIn(path);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    if (std::string folder = path + "/" + stepName(*step); isSaved(folder))
      return folder;
  if (!fs::exists(path, ignored))
    return Failure{path + ": no such folder; expected that of a training run, or of one of its checkpoints"};
  return Failure{path + ": holds no checkpoint; expected " + kStateFile + ", a link `latest`, or folders step-N"};
}
