//===- Safetensors.cpp - the header of a .safetensors file ----------------===//
#include "lispier/Checkpoint/Safetensors.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

using namespace lispier;
using nlohmann::json;

std::string lispier::shapeText(const std::vector<uint64_t> &shape) {
  constexpr size_t kMostShown = 16; // A damaged file can have millions.
  std::string text = "[";
  for (size_t i = 0; i < std::min(shape.size(), kMostShown); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() > kMostShown ? ", ...]" : "]");
}

std::optional<uint64_t> lispier::elementBytes(const std::string &dtype) {
  static constexpr std::pair<const char *, uint64_t> sizes[] = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},
      {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4},     {"I64", 8},     {"U64", 8}, {"F64", 8}};
  for (auto [name, size] : sizes)
    if (dtype == name)
      return size;
  return std::nullopt;
}

namespace {
/// The format's own limit; a larger value means a corrupt or different file.
constexpr uint64_t kMaxHeader = 100'000'000;

/// The integers of a JSON array; none if an item is not an integer from 0 to 2^64 - 1.
std::optional<std::vector<uint64_t>> sizesOf(const json &object, const char *key) {
  auto found = object.find(key);
  if (found == object.end() || !found->is_array())
    return std::nullopt;
  std::vector<uint64_t> sizes;
  for (const json &item : *found) {
    if (!item.is_number_unsigned())
      return std::nullopt;
    sizes.push_back(item.get<uint64_t>());
  }
  return sizes;
}

std::optional<uint64_t> product(const std::vector<uint64_t> &sizes, uint64_t unit) {
  uint64_t total = unit;
  for (uint64_t size : sizes)
    if (__builtin_mul_overflow(total, size, &total))
      return std::nullopt;
  return total;
}

/// Checks one entry against the `available` bytes of data.
Result<TensorEntry> readEntry(const MappedFile &file, const std::string &name, const json &value, const uint8_t *data,
                              uint64_t available) {
  auto fail = [&](const std::string &message) { return file.fail("tensor " + inQuotes(name) + " " + message); };
  if (!value.is_object())
    return fail("is not described by an object");
  TensorEntry entry;
  auto dtype = value.find("dtype");
  if (dtype == value.end() || !dtype->is_string())
    return fail("has no dtype");
  entry.dtype = dtype->get<std::string>();
  auto shape = sizesOf(value, "shape");
  if (!shape)
    return fail("has no shape of non-negative integers");
  entry.shape = std::move(*shape);
  auto offsets = sizesOf(value, "data_offsets");
  if (!offsets || offsets->size() != 2)
    return fail("has no data_offsets [begin, end] of non-negative integers");
  uint64_t begin = (*offsets)[0], end = (*offsets)[1];
  std::string range = "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "]";
  if (begin > end)
    return fail("has " + range + ", which end before they begin");
  if (end > available)
    return fail("has " + range + ", but the file holds " + std::to_string(available) +
                " bytes of data (is it truncated?)");
  entry.data = data + begin;
  entry.bytes = end - begin;
  if (auto size = elementBytes(entry.dtype)) {
    auto expected = product(entry.shape, *size);
    if (!expected)
      return fail("has shape " + shapeText(entry.shape) + ", whose size overflows 64 bits");
    if (*expected != entry.bytes)
      return fail("has shape " + shapeText(entry.shape) + " of " + entry.dtype + ", that is " +
                  std::to_string(*expected) + " bytes, but " + range + " hold " + std::to_string(entry.bytes));
  }
  return entry;
}

/// Checks that every byte of the data belongs to exactly one tensor, as the format requires. Otherwise the header is
/// wrong, or data is hidden in the file.
Result<Done> checkCover(const MappedFile &file, const std::map<std::string, TensorEntry> &entries, const uint8_t *data,
                        uint64_t available) {
  std::vector<std::pair<const std::string *, const TensorEntry *>> order;
  for (auto &[name, entry] : entries)
    if (entry.bytes)
      order.push_back({&name, &entry});
  std::sort(order.begin(), order.end(), [](auto &a, auto &b) { return a.second->data < b.second->data; });
  const uint8_t *end = data;
  const std::string *last = nullptr;
  for (auto [name, entry] : order) {
    if (entry->data < end)
      return file.fail("the data of tensors " + inQuotes(*last) + " and " + inQuotes(*name) + " overlap");
    if (entry->data > end)
      return file.fail("has " + std::to_string(entry->data - end) + " bytes of no tensor before the data of " +
                       inQuotes(*name));
    end = entry->data + entry->bytes;
    last = name;
  }
  if (end != data + available)
    return file.fail("has " + std::to_string(data + available - end) + " bytes after its last tensor");
  return Done();
}
} // namespace

Result<std::map<std::string, TensorEntry>> lispier::readSafetensors(const MappedFile &file) {
  if (file.size() < 8)
    return file.fail("is " + std::to_string(file.size()) +
                     " bytes long; a safetensors file begins with 8 bytes of header size");
  uint64_t headerSize;
  std::memcpy(&headerSize, file.data(), sizeof headerSize);
  if (headerSize > kMaxHeader)
    return file.fail("says its header is " + std::to_string(headerSize) +
                     " bytes long; at most 100000000 are allowed (is this a "
                     "safetensors file?)");
  if (headerSize > file.size() - 8)
    return file.fail("says its header is " + std::to_string(headerSize) + " bytes long, but the file ends after " +
                     std::to_string(file.size() - 8) + " (is it truncated?)");

  // The JSON parser would keep the last of two equal keys; a file with a duplicate name is rejected.
  std::set<std::string> seen;
  std::optional<std::string> twice;
  auto noteKeys = [&](int depth, json::parse_event_t event, json &key) {
    if (event == json::parse_event_t::key && depth == 1 && !seen.insert(key.get_ref<const std::string &>()).second)
      twice = key.get<std::string>();
    return true;
  };
  const char *text = reinterpret_cast<const char *>(file.data()) + 8;
  json header = json::parse(text, text + headerSize, noteKeys,
                            /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object())
    return file.fail("its header is not a JSON object (is this a safetensors file?)");
  if (twice)
    return file.fail("its header lists tensor " + inQuotes(*twice) + " twice");

  const uint8_t *data = file.data() + 8 + headerSize;
  uint64_t available = file.size() - 8 - headerSize;
  std::map<std::string, TensorEntry> entries;
  for (auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    auto entry = readEntry(file, name, value, data, available);
    if (!entry)
      return entry.failure();
    entries.emplace(name, std::move(*entry));
  }
  if (auto checked = checkCover(file, entries, data, available); !checked)
    return checked.failure();
  return entries;
}
