//===- StartRanks.cpp - start a program as several processes --------------===//
#include "lispier/Runtime/Comm/StartRanks.h"
#include "MpiComm.h"
#include "lispier/Runtime/Core/Failure.h"
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace lispier::runtime {
namespace {
constexpr int kMostRanks = 256;
/// From the signal that asks a rank to end to the one that ends it.
constexpr int kPatienceSeconds = 5;

/// What a rank prints. Lines are whole, whatever other ranks print meanwhile, unless they are very long.
struct Output {
  int from = -1; ///< -1: it has ended, or goes elsewhere.
  FILE *to;
  int rank;
  size_t used = 0;
  char line[4096];

  /// Passes on what is there.
  void pass() {
    ssize_t bytes = read(from, line + used, sizeof(line) - used);
    if (bytes <= 0) {
      close(from);
      from = -1;
      print(used, used ? "\n" : "");
    } else {
      used += bytes;
      while (void *end = memchr(line, '\n', used))
        print(static_cast<char *>(end) + 1 - line, "");
      if (used == sizeof(line))
        print(used, "\n");
    }
    fflush(to);
  }

private:
  void print(size_t bytes, const char *end) {
    if (bytes)
      fprintf(to, "%d| %.*s%s", rank, int(bytes), line, end);
    memmove(line, line + bytes, used - bytes);
    used -= bytes;
  }
};

struct RankProcess {
  pid_t id = 0; ///< 0: it has ended.
  Output output, errors;
};

/// A free port of this host.
int freePort() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool isFound = listening >= 0 && bind(listening, reinterpret_cast<sockaddr *>(&address), length) == 0 &&
                 getsockname(listening, reinterpret_cast<sockaddr *>(&address), &length) == 0;
  if (listening >= 0)
    close(listening);
  return isFound ? ntohs(address.sin_port) : 0;
}

int processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Sets what all ranks have in their environment.
void setCommonVariables(const RankOptions &options) {
  char text[64];
  auto set = [&](const char *name, bool replaces) { setenv(name, text, replaces); };
  snprintf(text, sizeof(text), "%d", options.ranks);
  set("LISPIER_RANKS", true);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(text, sizeof(text), "%d-%llx", int(getpid()),
           (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
  set("LISPIER_JOB", true);
  snprintf(text, sizeof(text), "127.0.0.1:%d", freePort());
  set("LISPIER_ROOT", false);
  int threads = processors() / options.ranks;
  snprintf(text, sizeof(text), "%d", threads > 0 ? threads : 1);
  if (!options.isForDevice)
    set("LISPIER_THREADS", false);
}

/// A pipe from what will be file `number` of a process; -1 if there is none.
int pipeFrom(posix_spawn_file_actions_t &actions, int number, int &writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  posix_spawn_file_actions_adddup2(&actions, ends[1], number);
  writing = ends[1];
  return ends[0];
}

/// Starts a rank; the error code, or 0.
int start(const RankOptions &options, char *const *arguments, int rank, RankProcess &process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int writing[2] = {-1, -1};
  process.output.to = stdout;
  process.errors.to = stderr;
  process.output.rank = process.errors.rank = rank;
  if (options.allOutput)
    process.output.from = pipeFrom(actions, STDOUT_FILENO, writing[0]);
  else if (rank != 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  process.errors.from = pipeFrom(actions, STDERR_FILENO, writing[1]);
  char text[16];
  snprintf(text, sizeof(text), "%d", rank);
  setenv("LISPIER_RANK", text, true);
  setenv("LISPIER_LOCAL_RANK", text, true);
  int error = posix_spawnp(&process.id, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  for (int end : writing)
    if (end >= 0)
      close(end);
  if (error)
    process.id = 0;
  return error;
}

void passOutputs(RankProcess *processes, int ranks, int milliseconds) {
  pollfd files[2 * kMostRanks];
  Output *outputs[2 * kMostRanks];
  int count = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (Output *output : {&processes[rank].output, &processes[rank].errors})
      if (output->from >= 0) {
        outputs[count] = output;
        files[count++] = {output->from, POLLIN, 0};
      }
  if (poll(files, count, milliseconds) <= 0)
    return;
  for (int i = 0; i < count; ++i)
    if (files[i].revents)
      outputs[i]->pass();
}

/// The exit status of a rank that has ended, as a shell has it.
int statusOf(int waited) { return WIFEXITED(waited) ? WEXITSTATUS(waited) : 128 + WTERMSIG(waited); }

void signalAll(const RankProcess *processes, int ranks, int signal) {
  for (int rank = 0; rank < ranks; ++rank)
    if (processes[rank].id)
      kill(processes[rank].id, signal);
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Waits for the ranks that have started. `status` is not 0 if they are to end at once, and becomes that of the first
/// rank that fails. An error: that a signal has ended it.
Status waitForAll(RankProcess *processes, int ranks, int &status) {
  Status error;
  double killAt = 0;
  if (status)
    signalAll(processes, ranks, SIGTERM);
  for (;;) {
    passOutputs(processes, ranks, 20);
    bool isOneLeft = false;
    for (int rank = 0; rank < ranks; ++rank) {
      RankProcess &process = processes[rank];
      int waited = 0;
      if (process.id && waitpid(process.id, &waited, WNOHANG) == process.id) {
        process.id = 0;
        if (statusOf(waited) && !status) {
          status = statusOf(waited);
          if (WIFSIGNALED(waited))
            error = Status("--ranks", WTERMSIG(waited), "rank %d was ended by signal %d (%s)", rank, WTERMSIG(waited),
                           strsignal(WTERMSIG(waited)));
          signalAll(processes, ranks, SIGTERM);
        }
      }
      isOneLeft |= process.id != 0;
    }
    if (!isOneLeft)
      break;
    if (status && killAt == 0)
      killAt = now() + kPatienceSeconds;
    if (status && now() > killAt)
      signalAll(processes, ranks, SIGKILL);
  }
  for (int tries = 0; tries < 2 * ranks; ++tries) // What they have printed last.
    passOutputs(processes, ranks, 0);
  return error;
}
} // namespace

bool RankOptions::take(const char *argument, const char *&error) {
  error = nullptr;
  auto valueAfter = [&](const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : nullptr;
  };
  if (const char *value = valueAfter("--ranks=")) {
    char *end = nullptr;
    long number = strtol(value, &end, 10);
    ranks = int(number);
    if (*end || end == value || number < 1 || number > kMostRanks)
      error = "--ranks is a number from 1 to 256";
    return true;
  }
  if (const char *value = valueAfter("--mesh=")) {
    mesh = value;
    return true;
  }
  if (const char *value = valueAfter("--rank-output=")) {
    allOutput = strcmp(value, "all") == 0;
    if (!allOutput && strcmp(value, "first") != 0)
      error = "--rank-output is all or first";
    return true;
  }
  return false;
}

namespace {
/// Replaces this process by mpirun, which starts the ranks. Returns why it cannot.
Status becomeMpirun(const RankOptions &options, char *const *arguments) {
  const char *command[kMostMpiArguments];
  Status why;
  if (!mpiCommand(command, why))
    return Status("--ranks", why.code, "needs %s", why.reason);
  constexpr int kMostWords = 4096;
  static const char *words[kMostWords];
  int count = 0;
  for (const char *const *word = command; *word; ++word)
    words[count++] = *word;
  static char ranks[16];
  snprintf(ranks, sizeof(ranks), "%d", options.ranks);
  words[count++] = "-n";
  words[count++] = ranks;
  for (; *arguments; ++arguments) {
    if (count + 1 == kMostWords)
      return Status("--ranks", 0, "more than %d arguments", kMostWords);
    words[count++] = *arguments;
  }
  words[count] = nullptr;
  unsetenv("LISPIER_RANKS"); // MPI's own variables say which rank a process is.
  setenv("LISPIER_RANK_OUTPUT", options.allOutput ? "all" : "first", true);
  execvp(words[0], const_cast<char *const *>(words));
  return Status("--ranks", errno, "%s: %s", words[0], strerror(errno));
}
} // namespace

Status startRanks(const RankOptions &options, char *const *arguments, int &status) {
  static RankProcess processes[kMostRanks];
  setCommonVariables(options);
  fflush(nullptr);
  const char *wish = getenv("LISPIER_COMM");
  status = 1;
  if (!options.isForDevice && !(wish && strcmp(wish, "fake") == 0))
    return becomeMpirun(options, arguments);
  status = 0;
  Status failed;
  for (int rank = 0; rank < options.ranks && !status; ++rank)
    if (int error = start(options, arguments, rank, processes[rank])) {
      failed = Status("--ranks", error, "rank %d cannot be started: %s: %s", rank, arguments[0], strerror(error));
      status = 1;
    }
  Status ended = waitForAll(processes, options.ranks, status);
  return failed.ok() ? ended : failed;
}
} // namespace lispier::runtime

int32_t lispier_rt_comm_arguments(int32_t count, char **arguments, int32_t isForDevice) {
  using namespace lispier::runtime;
  RankOptions options;
  options.isForDevice = isForDevice;
  int32_t taken = 0;
  const char *error = nullptr;
  while (taken + 1 < count && options.take(arguments[taken + 1], error)) {
    if (error)
      fail({}, "%s, and not %s", error, arguments[taken + 1]);
    ++taken;
  }
  if (taken == 0)
    return count;
  for (int32_t i = 1; i + taken <= count; ++i) // With the null pointer at the end.
    arguments[i] = arguments[i + taken];
  if (options.mesh)
    setenv("LISPIER_MESH", options.mesh, true);
  if (options.ranks == 0)
    return count - taken;
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length > 0) {
    path[length] = '\0';
    arguments[0] = path;
  }
  int status;
  Status failed = startRanks(options, arguments, status);
  char message[600];
  snprintf(message, sizeof(message), "error: %s: %s\n", failed.call, failed.ok() ? "" : failed.reason);
  endRun({{}, {}, failed.ok() ? nullptr : message, Ending::Exit, status});
}
