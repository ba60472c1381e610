//===- CommProgram.cpp - ranks of a compiled program ----------------------===//
#include "lispier/Runtime/Comm/CommProgram.h"
#include "CommTable.h"
#include "Engines.h"
#include "Mesh.h"
#include "ProgramMemory.h"
#include "Ranks.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lispier::runtime;

namespace {
/// The ranks along some axes, made when a collective first goes over these.
struct AxesGroup {
  uint32_t axes;
  Group *group;
};

/// A collective that others are done with at once.
struct Waiting {
  CollectiveWork work;
  const char *site;
};

struct Program {
  Ranks ranks;
  Mesh mesh;
  const CommTable *table;
  const ProgramMemory *memory;
  Group *world;
  AxesGroup groups[1 << 4]; ///< In the order in which they were made.
  int groupCount;
  bool compares;       ///< LISPIER_COMM_CHECK: the ranks compare what they are about to do.
  bool isTogether;     ///< Collectives may be done at once.
  Waiting waiting[64]; ///< Small ones of a group, which are done at the end of these.
  int waitingCount;
} program;

/// Ends this rank, and the others as far as the engine can.
[[noreturn]] void failRank(const char *site, const Status &status) {
  if (program.world)
    program.table->endOthers(program.world);
  if (program.ranks.ranks == 1)
    fail({site}, "%s: %s", status.call, status.reason);
  fail({site, nullptr, Ending::AtOnce}, "rank %d: %s: %s", program.ranks.rank, status.call, status.reason);
}

void check(const Status &status, const char *site) {
  if (!status.ok())
    failRank(site, status);
}

/// What each rank tells the others when it joins.
struct StartRecord {
  int64_t digest;
  char program[96], engine[64], mesh[96];
};

/// Compares what the ranks run with what rank 0 does.
void compareStarts(const char *name, int64_t digest, const char *site) {
  StartRecord own{}, *all = static_cast<StartRecord *>(calloc(program.ranks.ranks, sizeof(StartRecord)));
  if (!all)
    failRank(site, Status("join", 0, "no memory"));
  own.digest = digest;
  snprintf(own.program, sizeof(own.program), "%s", name);
  snprintf(own.engine, sizeof(own.engine), "%s %s", program.table->engine, program.table->version());
  program.mesh.print(own.mesh, sizeof(own.mesh));
  check(program.table->exchange(program.world, &own, all, sizeof(own)), site);
  for (int rank = 1; rank < program.ranks.ranks; ++rank) {
    const StartRecord &other = all[rank];
    Status status;
    if (strcmp(other.engine, all->engine) != 0)
      status = Status("join", 0, "rank %d has %s, rank 0 %s", rank, other.engine, all->engine);
    else if (strcmp(other.mesh, all->mesh) != 0)
      status = Status("join", 0, "rank %d has the mesh %s, rank 0 %s", rank, other.mesh, all->mesh);
    else if (other.digest != all->digest || strcmp(other.program, all->program) != 0)
      status = Status("join", 0, "rank %d runs another program than rank 0 (%s; %s, other options or another build)",
                      rank, other.program, all->program);
    check(status, site);
  }
  free(all);
}

/// One rank that has failed ends the others; one that is done leaves them.
void atEnd(int status, void *) {
  if (!program.world)
    return;
  fflush(stdout);
  status == 0 ? program.table->leave(program.world) : program.table->endOthers(program.world);
}

/// The ranks that differ along the axes only.
Group *groupOf(uint32_t axes, const char *site) {
  if (axes == program.mesh.all())
    return program.world;
  for (int i = 0; i < program.groupCount; ++i)
    if (program.groups[i].axes == axes)
      return program.groups[i].group;
  if (program.groupCount == int(sizeof(program.groups) / sizeof(program.groups[0])))
    failRank(site, Status("mesh", 0, "collectives over more than %d sets of axes", program.groupCount));
  int64_t rank = program.ranks.rank;
  AxesGroup &made = program.groups[program.groupCount];
  made.axes = axes;
  check(program.table->split(program.world, int(program.mesh.group(axes, rank)), int(program.mesh.place(axes, rank)),
                             int(program.mesh.size(axes)), made.group),
        site);
  ++program.groupCount;
  return made.group;
}

/// What a rank is about to do.
struct StepRecord {
  char site[96];
  int32_t kind, element;
  int64_t count;
};

const char *nameOf(CollectiveWork::Kind kind) {
  constexpr const char *names[] = {"all-reduce", "all-gather", "reduce-scatter",
                                   "from-rank",  "begin",      "collectives at once"};
  return names[kind];
}

/// The place without the file, which all ranks have.
const char *withoutFile(const char *site) {
  const char *colons[2] = {site, site};
  for (const char *at = site; *at; ++at)
    if (*at == ':') {
      colons[0] = colons[1];
      colons[1] = at + 1;
    }
  return colons[0];
}

void compareSteps(const CollectiveWork &work, uint32_t axes, const char *site) {
  StepRecord own{}, *all = static_cast<StepRecord *>(calloc(program.ranks.ranks, sizeof(StepRecord)));
  if (!all)
    failRank(site, Status("check", 0, "no memory"));
  snprintf(own.site, sizeof(own.site), "%s", site);
  own.kind = work.kind;
  own.element = work.element;
  own.count = work.count;
  check(program.table->exchange(work.group, &own, all, sizeof(own)), site);
  for (int64_t place = 1; place < program.mesh.size(axes); ++place) {
    const StepRecord &other = all[place];
    if (memcmp(&other, all, sizeof(other)) == 0)
      continue;
    auto kind = [](const StepRecord &record) { return nameOf(CollectiveWork::Kind(record.kind)); };
    auto element = [](const StepRecord &record) { return lispier::runtime::nameOf(Element(record.element)); };
    failRank(site, Status("check", 0, "rank %lld of the group is at %s, %s of %lld %s, rank 0 at %s, %s of %lld %s",
                          (long long)place, withoutFile(other.site), kind(other), (long long)other.count,
                          element(other), withoutFile(all->site), kind(*all), (long long)all->count, element(*all)));
  }
  free(all);
}

void issue(const CollectiveWork &work, const char *site) {
  Status status = program.memory->run(work, site);
  if (status.ok())
    return;
  if (status.code == kTimeout)
    status = Status(nameOf(work.kind), kTimeout, "%s", status.reason);
  failRank(site, status);
}

void issue(CollectiveWork::Kind kind, Group *group, const char *site) {
  issue({program.table, group, nullptr, nullptr, 0, kind, 0, 0, 0}, site);
}

/// Does at once what has waited for it.
void finishTogether(const char *site) {
  int count = program.waitingCount;
  Group *group = program.waiting[0].work.group;
  if (count > 1)
    issue(CollectiveWork::Begin, group, site);
  for (int i = 0; i < count; ++i)
    issue(program.waiting[i].work, program.waiting[i].site);
  if (count > 1)
    issue(CollectiveWork::End, group, site);
  program.waitingCount = 0;
}

/// Larger ones, in bytes, are done by themselves: at once they would share what connects the devices.
constexpr int64_t kMostTogether = 4 << 20;

/// `isAlone`: what is in the queue behind it reads its result.
void run(CollectiveWork work, uint32_t axes, const char *site, bool isAlone = false) {
  placeOfCollective = site;
  TraceSpan span("collective", nameOf(work.kind), site, work.count * bytesOf(Element(work.element)));
  work.table = program.table;
  work.group = groupOf(axes, site);
  if (program.compares)
    compareSteps(work, axes, site);
  bool waits = program.isTogether && !isAlone && !program.compares && program.table->begin &&
               work.count * bytesOf(Element(work.element)) <= kMostTogether;
  if (!waits)
    return issue(work, site);
  program.waiting[program.waitingCount++] = {work, site};
  if (program.waitingCount == int(sizeof(program.waiting) / sizeof(program.waiting[0])))
    finishTogether(site);
}

void copyAll(const void *from, void *to, int64_t bytes, const char *site) {
  if (from != to && bytes)
    program.memory->copyRows(to, bytes, from, bytes, bytes, 1, site);
}

int64_t sizeOf(int64_t axes) { return axes ? program.mesh.size(uint32_t(axes)) : program.ranks.ranks; }

/// A dimension that is divided: `part` numbers of each of `outer` rows of `whole` are a rank's. Where the parts are
/// more than the whole, the last ones end with zeros.
struct Division {
  int64_t outer, part, whole, bytes; ///< Of a number.
  uint32_t axes;
  int64_t ranks;

  Division(int64_t outer, int64_t part, int64_t whole, int32_t element, int64_t axes, const char *name,
           const char *site)
      : outer(outer), part(part), whole(whole), bytes(bytesOf(Element(element))), axes(uint32_t(axes)),
        ranks(sizeOf(axes)) {
    if (part * ranks >= whole)
      return;
    char names[200];
    program.mesh.printAxes(uint32_t(axes), names, sizeof(names));
    failRank(site, Status(name, 0, "the dimension does not divide by the %lld ranks of %s: %lld of %lld numbers",
                          (long long)ranks, names, (long long)part, (long long)whole));
  }
  bool isEmpty() const { return outer * part == 0; }
  bool isExact() const { return part * ranks == whole; }
  /// Whether the parts one after the other are the whole.
  bool isRun() const { return outer == 1 && isExact(); }
  /// The numbers of a row that the rank at this place has.
  int64_t own(int64_t place) const {
    int64_t left = whole - place * part;
    return left < 0 ? 0 : left < part ? left : part;
  }
  /// Copies between the whole and the parts one after the other.
  void toParts(const void *from, void *to, const char *site) const {
    if (!isExact())
      program.memory->clear(to, ranks * outer * part * bytes, site);
    for (int64_t place = 0; place < ranks && own(place) > 0; ++place)
      program.memory->copyRows(static_cast<char *>(to) + place * outer * part * bytes, part * bytes,
                               static_cast<const char *>(from) + place * part * bytes, whole * bytes,
                               own(place) * bytes, outer, site);
  }
  void toWhole(const void *from, void *to, const char *site) const {
    for (int64_t place = 0; place < ranks && own(place) > 0; ++place)
      program.memory->copyRows(static_cast<char *>(to) + place * part * bytes, whole * bytes,
                               static_cast<const char *>(from) + place * outer * part * bytes, part * bytes,
                               own(place) * bytes, outer, site);
  }
  void *scratch(const char *site) const { return program.memory->alloc(ranks * outer * part * bytes, site); }
};
} // namespace

namespace lispier::runtime {
const char *placeOfCollective;

Status CollectiveWork::issue() const {
  switch (kind) {
  case AllReduce:
    return table->allReduce(group, from, to, count, Element(element), Combine(by));
  case AllGather:
    return table->allGather(group, from, to, count, Element(element));
  case ReduceScatter:
    return table->reduceScatter(group, from, to, count, Element(element), Combine(by));
  case FromRank:
    return table->fromRank(group, from, to, count, Element(element), root);
  case Begin:
    return table->begin(group);
  case End:
    return table->end(group);
  }
  return Status();
}

void startRanks(const char *mesh, const char *first, const char *name, int64_t digest, const char *site,
                const ProgramMemory &memory, Status (*prepare)(const Ranks &ranks),
                const CommTable *(*choose)(Status &why)) {
  program.memory = &memory;
  placeOfCollective = site;
  check(findRanks(program.ranks), site);
  const char *output = getenv("LISPIER_RANK_OUTPUT"); // Set where `--ranks` has become mpirun.
  if (output && strcmp(output, "first") == 0 && program.ranks.rank > 0 && !freopen("/dev/null", "w", stdout))
    failRank(site, Status("output", 0, "/dev/null cannot be written"));
  check(program.mesh.read(mesh), site);
  if (const char *wish = getenv("LISPIER_MESH"))
    check(program.mesh.change(wish), site);
  check(program.mesh.fit(program.ranks.ranks), site);
  if (program.ranks.ranks == 1)
    return;
  check(prepare(program.ranks), site);
  if (!first)
    return;
  Status why;
  program.table = choose(why);
  if (!program.table)
    fail({site}, "rank %d: %s needs %s", program.ranks.rank, first, why.reason);
  check(program.table->join(program.ranks, program.world), site);
  on_exit(atEnd, nullptr);
  compareStarts(name, digest, site);
  const char *compares = getenv("LISPIER_COMM_CHECK");
  program.compares = compares && strcmp(compares, "1") == 0;
}
} // namespace lispier::runtime

void lispier_rt_comm_mesh(const char *mesh, const char *first, const char *name, int64_t digest, const char *site) {
  startRanks(mesh, first, name, digest, site, kHostMemory, [](const Ranks &) { return Status(); }, chooseHostEngine);
}

int64_t lispier_rt_comm_rank(int64_t axes) {
  return axes ? program.mesh.place(uint32_t(axes), program.ranks.rank) : program.ranks.rank;
}

int64_t lispier_rt_comm_size(int64_t axes) { return sizeOf(axes); }

void lispier_rt_comm_all_reduce(const void *from, void *to, int64_t count, int32_t element, int32_t by, int64_t axes,
                                const char *site) {
  if (sizeOf(axes) == 1 || count == 0)
    return copyAll(from, to, count * bytesOf(Element(element)), site);
  run({nullptr, nullptr, from, to, count, CollectiveWork::AllReduce, element, by, 0}, uint32_t(axes), site);
}

void lispier_rt_comm_from_rank(const void *from, void *to, int64_t count, int32_t element, int64_t rank, int64_t axes,
                               const char *site) {
  int64_t ranks = sizeOf(axes);
  if (rank < 0 || rank >= ranks)
    failRank(site, Status("from-rank", 0, "there is no rank %lld among %lld", (long long)rank, (long long)ranks));
  if (ranks == 1)
    return copyAll(from, to, count * bytesOf(Element(element)), site);
  run({nullptr, nullptr, from, to, count, CollectiveWork::FromRank, element, 0, int32_t(rank)}, uint32_t(axes), site);
}

void lispier_rt_comm_all_gather(const void *from, void *to, int64_t outer, int64_t part, int64_t whole, int32_t element,
                                int64_t axes, const char *site) {
  Division division(outer, part, whole, element, axes, "all-gather", site);
  if (division.isEmpty())
    return;
  if (division.ranks == 1)
    return division.isExact() ? copyAll(from, to, outer * whole * division.bytes, site)
                              : division.toWhole(from, to, site);
  void *parts = division.isRun() ? to : division.scratch(site);
  run({nullptr, nullptr, from, parts, outer * part, CollectiveWork::AllGather, element, 0, 0}, division.axes, site,
      /*isAlone=*/parts != to);
  if (parts == to)
    return;
  division.toWhole(parts, to, site);
  program.memory->free(parts, site);
}

void lispier_rt_comm_reduce_scatter(const void *from, void *to, int64_t outer, int64_t part, int64_t whole,
                                    int32_t element, int32_t by, int64_t axes, const char *site) {
  Division division(outer, part, whole, element, axes, "reduce-scatter", site);
  if (division.isEmpty())
    return;
  if (division.ranks == 1)
    return copyAll(from, to, outer * whole * division.bytes, site);
  void *parts = division.isRun() ? nullptr : division.scratch(site);
  if (parts)
    division.toParts(from, parts, site);
  run({nullptr, nullptr, parts ? parts : from, to, outer * part, CollectiveWork::ReduceScatter, element, by, 0},
      division.axes, site, /*isAlone=*/parts != nullptr);
  if (parts)
    program.memory->free(parts, site);
}

void lispier_rt_comm_own_part(const void *from, void *to, int64_t outer, int64_t part, int64_t whole, int32_t element,
                              int64_t axes, const char *site) {
  Division division(outer, part, whole, element, axes, "own-part", site);
  if (division.isEmpty())
    return;
  int64_t place = lispier_rt_comm_rank(axes), own = division.own(place);
  if (own < part)
    program.memory->clear(to, outer * part * division.bytes, site);
  if (own > 0)
    program.memory->copyRows(to, part * division.bytes, static_cast<const char *>(from) + place * part * division.bytes,
                             whole * division.bytes, own * division.bytes, outer, site);
}

void lispier_rt_comm_together_begin(void) { program.isTogether = true; }

void lispier_rt_comm_together_end(const char *site) {
  if (program.waitingCount > 0)
    finishTogether(site);
  program.isTogether = false;
}
