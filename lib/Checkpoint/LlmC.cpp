//===- LlmC.cpp - llm.c's checkpoints with a layout table -----------------===//
#include "lispier/Checkpoint/LlmC.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

using namespace lispier;

namespace {
constexpr int kHeaderWords = 256;
constexpr uint64_t kHeaderBytes = kHeaderWords * 4;
constexpr int64_t kMostSize = 1 << 24; ///< Bound of each header word, so that an error names the word, not a product.

int32_t headerWord(const MappedFile &file, int index) {
  int32_t word;
  std::memcpy(&word, file.data() + 4 * index, sizeof word);
  return word;
}

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Removes and returns the next blank-separated word; empty at the end of the line.
std::string_view nextWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

/// A line of the layout, which describes one tensor, or one per layer.
struct Row {
  std::string_view before, after; ///< Parts of the name around the layer's number.
  int64_t layers = 1;
  bool numbered = false;
  std::vector<uint64_t> shape;
  uint64_t bytes = 0; ///< Size of one tensor.
};

class LayoutReader {
public:
  LayoutReader(const MappedFile &file, std::string_view layout) : file(file), rest(layout), config(file.path()) {}

  Result<LlmCContents> read() {
    if (auto read = readHeader(); !read)
      return read.failure();
    while (nextLine())
      if (auto read = readRow(); !read)
        return read.failure();
    return place();
  }

private:
  Failure wrongLayout(std::string_view word, const char *expected) const {
    return file.fail("cannot be read: the program's layout has '" + std::string(word) + "' in line " +
                     std::to_string(lineNumber) + ", where " + expected + " is expected");
  }

  bool nextLine() {
    while (!rest.empty()) {
      size_t end = std::min(rest.find('\n'), rest.size());
      line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++lineNumber;
      if (line.find_first_not_of(" \t\r") != std::string_view::npos)
        return true;
    }
    line = {};
    return false;
  }

  /// Checks the magic number and version, and reads the header words that the layout names.
  Result<Done> readHeader() {
    nextLine();
    std::string_view word = nextWord(line);
    auto magic = parseInteger(nextWord(line));
    if (word != "magic" || !magic)
      return wrongLayout(word, "`magic NUMBER`");
    if (file.size() < 4)
      return file.fail("is " + std::to_string(file.size()) + " bytes long; an llm.c checkpoint begins with " +
                       std::to_string(kHeaderBytes) + " bytes of header");
    if (headerWord(file, 0) != *magic)
      return file.fail("begins with magic " + std::to_string(headerWord(file, 0)) + ", an llm.c checkpoint with " +
                       std::to_string(*magic));
    if (file.size() < kHeaderBytes)
      return file.fail("is truncated: " + std::to_string(file.size()) + " bytes, the header alone has " +
                       std::to_string(kHeaderBytes));
    int32_t version = headerWord(file, 1);
    if (version != 3 && version != 5)
      return file.fail("is an llm.c checkpoint of version " + std::to_string(version) +
                       "; versions 3 (F32) and 5 (BF16) can be read");
    type = version == 3 ? "F32" : "BF16";
    elementBytes = version == 3 ? 4 : 2;

    nextLine();
    if (word = nextWord(line); word != "header")
      return wrongLayout(word, "`header NAME ...`");
    for (int index = 2; !(word = nextWord(line)).empty(); ++index) {
      if (index == kHeaderWords)
        return wrongLayout(word, "the end of the header's 256 words");
      int32_t value = headerWord(file, index);
      if (value < 1 || value > kMostSize)
        return file.fail("has " + std::string(word) + " " + std::to_string(value) + " in its header; expected 1 to " +
                         std::to_string(kMostSize));
      config.set(std::string(word), value);
    }
    return Done();
  }

  /// Evaluates a size: a number, a header word, or a product of these.
  Result<int64_t> readSize(std::string_view text) const {
    int64_t size = 1;
    for (std::string_view factors = text;;) {
      size_t star = std::min(factors.find('*'), factors.size());
      std::string_view factor = factors.substr(0, star);
      int64_t value = 0;
      if (auto number = parseInteger(factor)) {
        value = *number;
      } else if (auto named = config.integer(std::string(factor), 0)) {
        value = *named;
      }
      if (value < 1)
        return wrongLayout(factor, "a size, a positive number or a word of the header,");
      if (__builtin_mul_overflow(size, value, &size))
        return tooLarge();
      if (star == factors.size())
        return size;
      factors.remove_prefix(star + 1);
    }
  }

  Result<Done> readRow() {
    Row row;
    row.before = nextWord(line);
    if (size_t open = row.before.find('{'), close = row.before.find('}', open); close != std::string_view::npos) {
      auto layers = readSize(row.before.substr(open + 1, close - open - 1));
      if (!layers)
        return layers.failure();
      row.layers = *layers;
      row.numbered = true;
      row.after = row.before.substr(close + 1);
      row.before = row.before.substr(0, open);
    }
    row.bytes = elementBytes;
    for (std::string_view word; !(word = nextWord(line)).empty();) {
      auto size = readSize(word);
      if (!size)
        return size.failure();
      row.shape.push_back(*size);
      if (__builtin_mul_overflow(row.bytes, uint64_t(*size), &row.bytes))
        return tooLarge();
    }
    uint64_t all;
    if (__builtin_mul_overflow(row.bytes, uint64_t(row.layers), &all) ||
        __builtin_add_overflow(expected, all, &expected))
      return tooLarge();
    rows.push_back(std::move(row));
    return Done();
  }

  /// Creates the entries. The sizes are known to add up to the file's, which bounds their number.
  Result<LlmCContents> place() {
    if (file.size() != expected)
      return file.fail(std::string(file.size() < expected ? "is truncated: " : "is too long: ") +
                       std::to_string(file.size()) + " bytes, the sizes in its header ask for " +
                       std::to_string(expected));
    LlmCContents contents;
    contents.config = std::move(config);
    const uint8_t *data = file.data() + kHeaderBytes;
    for (const Row &row : rows)
      for (int64_t layer = 0; layer < row.layers; ++layer, data += row.bytes) {
        std::string name(row.before);
        if (row.numbered)
          name += std::to_string(layer) + std::string(row.after);
        if (!contents.entries.emplace(name, TensorEntry{type, row.shape, data, row.bytes}).second)
          return file.fail("cannot be read: the program's layout names tensor '" + name + "' twice");
      }
    return contents;
  }

  Failure tooLarge() const { return file.fail("has sizes in its header whose product overflows 64 bits"); }

  const MappedFile &file;
  std::string_view rest, line;
  int lineNumber = 0;
  Config config;
  std::string type;
  uint64_t elementBytes = 0, expected = kHeaderBytes;
  std::vector<Row> rows;
};
} // namespace

Result<LlmCContents> lispier::readLlmC(const MappedFile &file, std::string_view layout) {
  return LayoutReader(file, layout).read();
}
