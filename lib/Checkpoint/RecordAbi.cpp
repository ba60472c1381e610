//===- RecordAbi.cpp - the C ABI for records of tensors -------------------===//
#include "AbiHandle.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/RecordReader.h"

using namespace lispier;

struct lispier_record : AbiHandle {
  std::optional<Checkpoint> files;
  std::optional<RecordReader> reader;
};

namespace {
/// A message of several lines, each without control characters.
std::string lines(const std::string &message) {
  std::string all;
  for (size_t start = 0, end = 0; end != message.npos; start = end + 1) {
    end = message.find('\n', start);
    all += (start ? "\n" : "") + oneLine(message.substr(start, end == message.npos ? end : end - start));
  }
  return all;
}
} // namespace

static lispier_record *open(const char *path, const char *layout, const char *table, int64_t ranks, const char *over) {
  return openHandle<lispier_record>([&](lispier_record &handle) -> Result<Done> {
    auto opened = Checkpoint::open(path ? path : "", layout ? layout : "");
    if (!opened)
      return opened.failure();
    handle.files = std::move(*opened);
    handle.reader.emplace(*handle.files, ranks, over);
    Result<Done> found = handle.reader->find(table ? table : "");
    if (!found)
      handle.error = lines(found.failure().message);
    return Done();
  });
}

extern "C" {
lispier_record *lispier_record_open(const char *path, const char *layout, const char *table) {
  lispier_record *record = open(path, layout, table, 1, "");
  lispier_record_read(record, 0);
  return record;
}

lispier_record *lispier_record_open_parts(const char *path, const char *layout, const char *table, int64_t ranks,
                                          const char *over) {
  return open(path, layout, table, ranks, over);
}

void lispier_record_read(lispier_record *record, int64_t rank) {
  if (record && record->error.empty())
    keepReason(record->error, [&] { return record->reader->read(rank); });
}

const char *lispier_record_error(const lispier_record *record) { return errorOf(record); }

int64_t lispier_record_size(const lispier_record *record, int64_t part, int64_t dim) {
  return record->reader->parts()[part].sizes[dim];
}

void *lispier_record_data(const lispier_record *record, int64_t part) {
  return record->reader->data(record->reader->parts()[part]);
}
} // extern "C"
