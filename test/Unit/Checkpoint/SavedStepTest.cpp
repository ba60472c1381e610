//===- SavedStepTest.cpp - checkpoints are whole, whatever happens --------===//
#include "lispier/Checkpoint/SavedStep.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/Checkpoint.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lispier;
using namespace lispier::test;
namespace fs = std::filesystem;

namespace {
/// Saves a step whose tensors hold its number; the error, or nothing.
std::string save(const std::string &run, int64_t step, size_t count = 5, int64_t keep = 3) {
  lispier_saver *saver = lispier_saver_open(run.c_str(), step);
  std::vector<float> numbers(count, static_cast<float>(step));
  std::vector<int64_t> sizes = {1, static_cast<int64_t>(count)};
  std::vector<uint16_t> halves = {0x3F80, 0x4000, 0x4040};
  int64_t three = 3;
  lispier_saver_tensor(saver, "narrow", "BF16", 1, &three, halves.data());
  lispier_saver_tensor(saver, "w", "F32", 2, sizes.data(), numbers.data());
  lispier_saver_tensor(saver, "step", "I64", 0, nullptr, &step);
  lispier_saver_write(saver, "model.safetensors");
  lispier_saver_tensor(saver, "m.w", "F32", 2, sizes.data(), numbers.data());
  lispier_saver_write(saver, "optimizer.safetensors");
  lispier_saver_copy(saver, (fs::path(LISPIER_MINI) / "config.json").c_str());
  lispier_saver_copy(saver, "/none/vocab.json");
  lispier_saver_set_integer(saver, "place", 100 * step);
  lispier_saver_set_number(saver, "loss", 0.1);
  lispier_saver_set_text(saver, "schedule", "cosine \"quoted\"");
  lispier_saver_commit(saver, keep);
  std::string error = lispier_saver_error(saver) ? lispier_saver_error(saver) : "";
  lispier_saver_close(saver);
  return error;
}

/// The step of the last checkpoint of a run, all of whose files agree; -1 with a failure of the test otherwise.
int64_t usable(const std::string &run) {
  lispier_state *state = lispier_state_open(run.c_str());
  EXPECT_EQ(lispier_state_error(state), nullptr) << lispier_state_error(state);
  int64_t step = lispier_state_error(state) ? -1 : lispier_state_integer(state, "step");
  if (step >= 0) {
    EXPECT_EQ(lispier_state_integer(state, "place"), 100 * step);
    EXPECT_EQ(lispier_state_number(state, "loss"), 0.1);
    EXPECT_STREQ(lispier_state_text(state, "schedule"), "cosine \"quoted\"");
    for (const char *file : {"model.safetensors", "optimizer.safetensors"}) {
      auto opened = Checkpoint::open(std::string(lispier_state_path(state)) + "/" + file, "");
      if (!opened) {
        ADD_FAILURE() << opened.failure().message;
        step = -1;
        break;
      }
      for (auto &[name, entry] : opened->tensors())
        if (entry.dtype == "F32")
          for (uint64_t i = 0; i < entry.bytes; i += sizeof(float)) {
            float number;
            std::memcpy(&number, entry.data + i, sizeof number);
            if (number != static_cast<float>(step)) {
              ADD_FAILURE() << file << " of step " << step << " holds " << number;
              break;
            }
          }
    }
  }
  lispier_state_close(state);
  return step;
}

std::vector<std::string> names(const std::string &folder) {
  std::vector<std::string> found;
  for (auto &entry : fs::directory_iterator(folder))
    found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}
} // namespace

TEST(SavedStep, IsReadBack) {
  Folder folder;
  std::string run = folder.file("run/one");
  ASSERT_EQ(save(run, 7), "");
  EXPECT_EQ(usable(run), 7);
  EXPECT_EQ(usable(run + "/step-7"), 7);
  lispier_checkpoint *files = lispier_checkpoint_open((run + "/latest").c_str(), nullptr);
  ASSERT_EQ(lispier_checkpoint_error(files), nullptr);
  EXPECT_EQ(lispier_checkpoint_tensors(files), 3);
  // Wider elements come first, so that each tensor is aligned.
  for (int64_t i : {0, 1, 2})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(lispier_checkpoint_data(files, i)) %
                  (lispier_checkpoint_type(files, i) == std::string("I64") ? 8 : 2),
              0u);
  EXPECT_EQ(lispier_checkpoint_integer(files, "n_head", 0), 4); // config.json came along.
  lispier_checkpoint_close(files);
  EXPECT_EQ(names(run + "/step-7"),
            (std::vector<std::string>{"config.json", "model.safetensors", "optimizer.safetensors", "state.json"}));
}

TEST(SavedStep, KeepsTheLastThree) {
  Folder folder;
  std::string run = folder.file("run");
  for (int64_t step : {5, 10, 15, 20})
    ASSERT_EQ(save(run, step), "");
  EXPECT_EQ(names(run), (std::vector<std::string>{"latest", "step-10", "step-15", "step-20"}));
  // The run goes on from an earlier step, whose checkpoint is replaced; later ones stay.
  ASSERT_EQ(save(run, 15), "");
  EXPECT_EQ(usable(run), 15);
  ASSERT_EQ(save(run, 17, 5, /*keep=*/1), "");
  EXPECT_EQ(names(run), (std::vector<std::string>{"latest", "step-17", "step-20"}));
  // Without the link the largest step is the last.
  fs::remove(run + "/latest");
  EXPECT_EQ(usable(run), 20);
}

TEST(SavedStep, SaysWhatIsWrong) {
  Folder folder;
  std::string file = folder.write("file", "");
  EXPECT_HAS(save(file, 1), file + ": cannot be made: ");
  EXPECT_HAS(save(folder.file("run"), -1), "the step of a checkpoint is -1; expected 0 or more");
  auto opened = [](const std::string &path) {
    lispier_state *state = lispier_state_open(path.c_str());
    std::string error = lispier_state_error(state) ? lispier_state_error(state) : "";
    EXPECT_EQ(lispier_state_integer(state, "step"), 0);
    lispier_state_close(state);
    return error;
  };
  EXPECT_HAS(opened(folder.file("none")), "none: no such folder; expected that of a training run");
  EXPECT_HAS(opened(folder.name()), "holds no checkpoint; expected state.json, a link `latest`, or folders step-N");
  folder.write("state.json", "{\"loss\": []");
  EXPECT_HAS(opened(folder.name()), "state.json: is not a JSON object");
  folder.write("state.json", "{\"step\": 0}");
  lispier_state *state = lispier_state_open(folder.name().c_str());
  lispier_state_integer(state, "place");
  EXPECT_HAS(lispier_state_error(state), "state.json: has no 'place'");
  lispier_state_close(state);

  lispier_saver *saver = lispier_saver_open(folder.file("run").c_str(), 1);
  float number = 0;
  int64_t sizes[] = {1, -1};
  lispier_saver_tensor(saver, "a", "F32", 2, sizes, &number);
  EXPECT_HAS(lispier_saver_error(saver), "run/step-1: tensor 'a' has a size of -1");
  EXPECT_EQ(lispier_saver_commit(saver, 3), 0);
  lispier_saver_close(saver);
  saver = lispier_saver_open(folder.file("run").c_str(), 1);
  lispier_saver_tensor(saver, "a", "F32", 1, sizes, &number);
  lispier_saver_tensor(saver, "a", "F32", 1, sizes, &number);
  EXPECT_HAS(lispier_saver_error(saver), "tensor 'a' is written twice");
  lispier_saver_close(saver);
  saver = lispier_saver_open(folder.file("run").c_str(), 1);
  lispier_saver_tensor(saver, "a", "F31", 1, sizes, &number);
  EXPECT_HAS(lispier_saver_error(saver), "tensor 'a' has the type 'F31', which a safetensors file has not");
  lispier_saver_close(saver);
  saver = lispier_saver_open(folder.file("run").c_str(), 1);
  lispier_saver_set_number(saver, "loss", 0.0 / 0.0);
  EXPECT_HAS(lispier_saver_error(saver), "the state 'loss' is not finite");
  lispier_saver_close(saver);
  EXPECT_TRUE(names(folder.file("run")).empty());
}

// As on a full disk: a write fails in the middle of a file.
TEST(SavedStep, AFailedWriteLeavesTheLastOne) {
  Folder folder;
  std::string run = folder.file("run");
  ASSERT_EQ(save(run, 1), "");
  auto *before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = {1 << 16, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error = save(run, 2, 1 << 20);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_HAS(error, "run/.step-2.tmp/model.safetensors: cannot be written: File too large");
  EXPECT_EQ(usable(run), 1);
  EXPECT_EQ(names(run), (std::vector<std::string>{"latest", "step-1"}));
}

// By hand: LISPIER_KILLS=50 checkpoint-tests --gtest_filter=*Killed*
TEST(SavedStep, IsWholeWhenTheProgramIsKilled) {
  const char *given = std::getenv("LISPIER_KILLS");
  Folder folder;
  std::string run = folder.file("run");
  ASSERT_EQ(save(run, 1), "");
  std::mt19937 random(3);
  for (int round = 0, rounds = given ? std::atoi(given) : 4; round < rounds; ++round) {
    int64_t first = usable(run);
    ASSERT_GE(first, 1) << "after kill " << round;
    pid_t child = fork();
    if (child == 0) {
      for (int64_t step = first + 1;; ++step)
        if (!save(run, step, 100000 + step % 7).empty())
          _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(1000 + random() % 60000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  EXPECT_GT(usable(run), 1);
  ASSERT_EQ(save(run, 1000000), "");
  EXPECT_EQ(names(run).size(), 4u); // What was left over is gone.
}
