//===- SaverAbi.cpp - the C ABI for writing checkpoints -------------------===//
#include "AbiHandle.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/SafetensorsWriter.h"
#include "lispier/Checkpoint/SavedStep.h"
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

using namespace lispier;
using nlohmann::ordered_json;

struct lispier_saver : AbiHandle {
  std::optional<SavedStep> saved;
  SafetensorsWriter tensors; ///< Of the file that is written next.
  ordered_json state = ordered_json::object();
};

struct lispier_state : AbiHandle {
  std::string folder;
  Config state;
};

namespace {
/// Does a step of saving, unless an earlier one has failed.
template <typename Body> bool save(lispier_saver *saver, Body body) {
  return saver && saver->saved && saver->error.empty() && keepReason(saver->error, body);
}

template <typename T> void keepState(lispier_saver *saver, const char *key, const T &value) {
  save(saver, [&]() -> Result<Done> {
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value))
        return Failure{saver->saved->path() + ": the state " + inQuotes(key) + " is not finite"};
    saver->state[key] = value;
    return Done();
  });
}

template <typename T>
T stateOf(lispier_state *state, Result<T> (Config::*getter)(const std::string &, T) const, const char *key, T missing) {
  if (!state || state->folder.empty())
    return missing;
  if (!state->state.has(key)) {
    keepReason(state->error,
               [&]() -> Result<Done> { return Failure{state->state.path() + ": has no " + inQuotes(key)}; });
    return missing;
  }
  return askConfig(*state, state->state, AbsentKey::IsDefault, getter, key, missing);
}
} // namespace

extern "C" {
lispier_saver *lispier_saver_open(const char *run, int64_t step) {
  return openHandle<lispier_saver>([&](lispier_saver &handle) -> Result<Done> {
    auto begun = SavedStep::begin(run ? run : "", step);
    if (!begun)
      return begun.failure();
    handle.saved.emplace(std::move(*begun));
    handle.state["step"] = step;
    return Done();
  });
}

const char *lispier_saver_error(const lispier_saver *saver) { return errorOf(saver); }
const char *lispier_saver_path(const lispier_saver *saver) {
  return saver && saver->saved ? saver->saved->path().c_str() : "";
}

void lispier_saver_tensor(lispier_saver *saver, const char *name, const char *type, int64_t rank, const int64_t *sizes,
                          const void *data) {
  save(saver, [&]() -> Result<Done> {
    std::vector<uint64_t> shape;
    for (int64_t i = 0; i < rank; ++i) {
      if (sizes[i] < 0)
        return Failure{saver->saved->path() + ": tensor " + inQuotes(name) + " has a size of " +
                       std::to_string(sizes[i])};
      shape.push_back(static_cast<uint64_t>(sizes[i]));
    }
    Result<Done> added = saver->tensors.add(name, type, shape, data);
    return added ? added : Failure{saver->saved->path() + ": " + added.failure().message};
  });
}

void lispier_saver_describe(lispier_saver *saver, const char *key, const char *value) {
  save(saver, [&]() -> Result<Done> {
    saver->tensors.describe(key, value);
    return Done();
  });
}

int32_t lispier_saver_write(lispier_saver *saver, const char *name) {
  return save(saver, [&]() -> Result<Done> {
    SafetensorsWriter tensors = std::move(saver->tensors);
    saver->tensors = SafetensorsWriter();
    return tensors.write(saver->saved->file(name));
  });
}

void lispier_saver_copy(lispier_saver *saver, const char *path) {
  save(saver, [&] { return saver->saved->copy(path); });
}

void lispier_saver_text(lispier_saver *saver, const char *name, const char *text) {
  save(saver, [&] { return saver->saved->writeText(name, text); });
}

void lispier_saver_set_integer(lispier_saver *saver, const char *key, int64_t value) { keepState(saver, key, value); }
void lispier_saver_set_number(lispier_saver *saver, const char *key, double value) { keepState(saver, key, value); }
void lispier_saver_set_text(lispier_saver *saver, const char *key, const char *value) {
  keepState(saver, key, std::string(value));
}

int32_t lispier_saver_commit(lispier_saver *saver, int64_t keep) {
  return save(saver, [&]() -> Result<Done> {
    std::string text = saver->state.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    if (auto written = saver->saved->writeText(kStateFile, text); !written)
      return written;
    return saver->saved->commit(keep);
  });
}

void lispier_saver_close(lispier_saver *saver) { delete saver; }

lispier_state *lispier_state_open(const char *path) {
  return openHandle<lispier_state>([&](lispier_state &handle) -> Result<Done> {
    auto folder = findSavedStep(path ? path : "");
    if (!folder)
      return folder.failure();
    auto state = Config::read(*folder + "/" + kStateFile);
    if (!state)
      return state.failure();
    handle.state = std::move(*state);
    handle.folder = std::move(*folder);
    return Done();
  });
}

const char *lispier_state_error(const lispier_state *state) { return errorOf(state); }
const char *lispier_state_path(const lispier_state *state) { return state ? state->folder.c_str() : ""; }
int64_t lispier_state_integer(lispier_state *state, const char *key) {
  return stateOf<int64_t>(state, &Config::integer, key, 0);
}
double lispier_state_number(lispier_state *state, const char *key) {
  return stateOf<double>(state, &Config::number, key, 0);
}
const char *lispier_state_text(lispier_state *state, const char *key) {
  return stateOf<const char *>(state, &Config::text, key, "");
}
void lispier_state_close(lispier_state *state) { delete state; }
} // extern "C"
