//===- CheckpointTest.cpp - tensors by name, and blocks of them -----------===//
#include "lispier/Checkpoint/Checkpoint.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/Npy.h"
#include "lispier/Checkpoint/WeightBlock.h"
#include <bit>
#include <gtest/gtest.h>

using namespace lispier;
using namespace lispier::test;

namespace {
/// A model of no kind: 2 layers, sizes that all differ.
constexpr const char *kLayout = R"(magic 7
header rows columns layers
table 2*rows columns
part.{layers}.vector columns

  part.{layers}.matrix 3 rows
end 1
)";
constexpr int32_t kRows = 5, kColumns = 4, kLayers = 2;
constexpr int64_t kNumbers = 2 * kRows * kColumns + kLayers * kColumns + kLayers * 3 * kRows + 1;

std::vector<float> count(int64_t numbers, float first = 0) {
  std::vector<float> list(numbers);
  for (float &number : list)
    number = first++;
  return list;
}

std::string llmC(int32_t version, std::vector<int32_t> changes = {}) {
  std::vector<int32_t> header(256);
  header[0] = 7, header[1] = version, header[2] = kRows, header[3] = kColumns, header[4] = kLayers;
  for (size_t i = 0; i + 1 < changes.size(); i += 2)
    header[changes[i]] = changes[i + 1];
  std::string file = bytesOf(header);
  for (float number : count(kNumbers)) // exact in BF16
    file +=
        version == 3 ? bytesOf<float>({number}) : bytesOf<uint16_t>({uint16_t(std::bit_cast<uint32_t>(number) >> 16)});
  return file;
}

std::string rejection(const std::string &path, std::string_view layout = kLayout) {
  auto read = Checkpoint::open(path, layout);
  return read ? "" : read.failure().message;
}

/// The numbers of one tensor in a block of its own.
template <typename T>
std::vector<T> numbers(const Checkpoint &checkpoint, FloatType type, const std::string &name, int64_t rows,
                       int64_t columns, bool transposed) {
  WeightBlock block(checkpoint, type);
  auto added = block.add(name, rows, columns, transposed);
  EXPECT_TRUE(added) << added.failure().message;
  EXPECT_TRUE(block.read());
  const T *first = static_cast<const T *>(block.data());
  return {first, first + std::max<int64_t>(rows, 1) * columns};
}

std::string addFailure(const Checkpoint &checkpoint, const std::string &name, int64_t rows, int64_t columns,
                       bool transposed = false) {
  WeightBlock block(checkpoint, FloatType::BF16);
  auto added = block.add(name, rows, columns, transposed);
  return added ? "" : added.failure().message;
}
} // namespace

TEST(Checkpoint, LlmCByLayout) {
  Folder folder;
  for (int32_t version : {3, 5}) {
    auto checkpoint = Checkpoint::open(folder.write("m.bin", llmC(version)), kLayout);
    ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
    EXPECT_EQ(checkpoint->format(), Checkpoint::Format::LlmC);
    EXPECT_EQ(checkpoint->tensors().size(), 6u);
    EXPECT_EQ(checkpoint->find("table")->shape, (std::vector<uint64_t>{2 * kRows, kColumns}));
    EXPECT_EQ(checkpoint->countNumbered("part."), kLayers);
    EXPECT_EQ(*checkpoint->config().integer("rows", 0), kRows);
    // All vectors lie before the first matrix.
    int64_t vectors = 2 * kRows * kColumns, matrices = vectors + kLayers * kColumns;
    EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "part.1.vector", 0, kColumns, false),
              count(kColumns, vectors + kColumns));
    EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "part.1.matrix", 3, kRows, false),
              count(3 * kRows, matrices + 3 * kRows));
    EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "end", 0, 1, false), count(1, kNumbers - 1));
  }
}

TEST(Checkpoint, RejectsBadLlmCFiles) {
  Folder folder;
  auto with = [&](const std::string &bytes) { return rejection(folder.write("m.bin", bytes)); };
  std::string good = llmC(5);
  EXPECT_EQ(with(good), "");
  EXPECT_HAS(with(""), "m.bin: is 0 bytes long");
  EXPECT_HAS(with(good.substr(0, 1000)), "is truncated: 1000 bytes, the header alone has 1024");
  EXPECT_HAS(with(good.substr(0, good.size() - 2)), "is truncated: ");
  EXPECT_HAS(with(good + "xx"), "is too long: ");
  EXPECT_HAS(with(llmC(5, {0, 20240520})), "magic 20240520, an llm.c checkpoint with 7");
  EXPECT_HAS(with("PK\x03\x04 and more"), "m.bin: holds weights pickled by PyTorch, which are not read");
  EXPECT_HAS(with(llmC(4)), "version 4; versions 3 (F32) and 5 (BF16) can be read");
  EXPECT_HAS(with(llmC(5, {4, -2})), "has layers -2 in its header; expected 1 to 16777216");
  EXPECT_HAS(with(llmC(5, {3, 0x7FFFFFFF})), "has columns 2147483647");
  EXPECT_HAS(with(llmC(5, {4, 1 << 24})), "is truncated: ");
  EXPECT_HAS(with(llmC(5, {2, 1 << 24, 3, 1 << 24, 4, 1 << 24})), "is truncated: ");
  EXPECT_HAS(rejection(folder.write("m.bin", good), ""), "is an llm.c file, for which the program has no layout");
}

TEST(Checkpoint, RejectsBadLayouts) {
  Folder folder;
  std::string file = folder.write("m.bin", llmC(5));
  EXPECT_HAS(rejection(file, "x"), "the program's layout has 'x' in line 1, "
                                   "where `magic NUMBER` is expected");
  EXPECT_HAS(rejection(file, "magic 7\nx"), "'x' in line 2, where `header NAME ...`");
  EXPECT_HAS(rejection(file, "magic 7\nheader a\nw b"), "'b' in line 3, where a size");
  EXPECT_HAS(rejection(file, "magic 7\nheader a\nw -1"), "'-1' in line 3, where a size");
  EXPECT_HAS(rejection(file, "magic 7\nheader a\nw a*a*a*9223372036854775807"), "overflows 64 bits");
  EXPECT_HAS(rejection(file, "magic 7\nheader a\nw 78\nw 1"), "names tensor 'w' twice");
}

TEST(Checkpoint, SafetensorsWithConfig) {
  Folder folder;
  std::string path = folder.write("model.safetensors", safetensors({{"h.0.w", "F32", {1}, "abcd"},
                                                                    {"h.10.w", "F32", {1}, "abcd"},
                                                                    {"h.2x", "F32", {1}, "abcd"},
                                                                    {"ha.77.w", "F32", {1}, "abcd"}}));
  auto bare = Checkpoint::open(path, "");
  ASSERT_TRUE(bare) << bare.failure().message;
  EXPECT_EQ(bare->config().path(), "");
  EXPECT_EQ(bare->countNumbered("h."), 11);
  EXPECT_EQ(bare->countNumbered("x."), 0);
  folder.write("config.json",
               R"({"n": 4, "x": 1e-3, "s": "text", "f": true, "none": null,
                                  "rope": {"factor": 8.0}, "eos": [3, 5]})");
  auto checkpoint = Checkpoint::open(path, "");
  ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
  const Config &config = checkpoint->config();
  EXPECT_EQ(*config.integer("n", 9), 4);
  EXPECT_EQ(*config.integer("m", 9), 9);
  EXPECT_EQ(*config.integer("none", 9), 9);
  EXPECT_EQ(*config.number("x", 0), 1e-3);
  EXPECT_EQ(*config.number("n", 0), 4);
  EXPECT_EQ(*config.number("rope.factor", 0), 8);
  EXPECT_EQ(*config.integer("eos.1", 0), 5);
  EXPECT_STREQ(*config.text("s", nullptr), "text");
  EXPECT_STREQ(*config.text("t", "other"), "other");
  EXPECT_TRUE(*config.flag("f", false));
  EXPECT_HAS(config.integer("s", 0).failure().message, "config.json: 's' is not an integer");
  EXPECT_HAS(config.number("s", 0).failure().message, "'s' is not a number");
  EXPECT_HAS(config.text("none", "").failure().message, "config.json: 'none' is null; expected a string");
  EXPECT_HAS(config.flag("n", true).failure().message, "'n' is not true or false");
  folder.write("config.json", "[]");
  EXPECT_HAS(rejection(path), "config.json: is not a JSON object");
}

TEST(Checkpoint, Shards) {
  Folder folder;
  folder.write("a.safetensors", safetensors({{"one", "F32", {1}, bytesOf<float>({1})}}));
  folder.write("b.safetensors", safetensors({{"two", "F32", {1}, bytesOf<float>({2})}, {"rest", "I8", {1}, "x"}}));
  auto index = [&](const std::string &map) {
    return folder.write("model.safetensors.index.json", "{\"metadata\": {}, \"weight_map\": " + map + "}");
  };
  index("{\"one\": \"a.safetensors\", \"two\": \"b.safetensors\"}");
  auto checkpoint = Checkpoint::open(folder.name(), "");
  ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
  EXPECT_EQ(checkpoint->path(), folder.file("model.safetensors.index.json"));
  EXPECT_EQ(checkpoint->tensors().size(), 2u);
  EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "two", 0, 1, false), (std::vector<float>{2}));
  EXPECT_HAS(addFailure(*checkpoint, "three", 0, 1), "index.json: has no tensor 'three'");

  EXPECT_HAS(rejection(index("{\"two\": \"a.safetensors\"}")),
             "says that tensor 'two' is in 'a.safetensors', which does not");
  EXPECT_HAS(rejection(index("{\"two\": \"c.safetensors\"}")), "c.safetensors: cannot be opened");
  EXPECT_HAS(
      rejection(index("{\"two\": \"../c.safetensors\"}")),
      "weight_map says that tensor 'two' is in '../c.safetensors'; expected the name of a file beside the index");
  EXPECT_HAS(rejection(index("{\"two\": 2}")), "weight_map has no file name");
  // A message shows the beginning of a long name, and no control characters.
  EXPECT_LT(rejection(index("{\"" + std::string(100000, 'x') + "\": 2}")).size(), 300u);
  EXPECT_LT(rejection(index("{\"" + std::string(100000, 'x') + "\": \"a.safetensors\"}")).size(), 300u);
  EXPECT_HAS(rejection(index("{\"\\u001b[31m\": 2}")), "for tensor '\\x1B[31m'");
  EXPECT_HAS(rejection(index("{}")), "has no weight_map");
  EXPECT_HAS(rejection(index("")), "is not a JSON object");
}

TEST(Checkpoint, FindsTheFile) {
  Folder folder;
  EXPECT_HAS(rejection(""), "the model's path is empty; expected a model directory");
  EXPECT_HAS(rejection(folder.file("none")), "none: no such file or directory");
  EXPECT_HAS(rejection(folder.name()), "holds neither model.safetensors, nor its index, nor a .bin");
  // What older models were published as: a zip archive of a pickle, or its parts.
  folder.write("pytorch_model.bin.index.json", "{}");
  EXPECT_HAS(rejection(folder.name()),
             "pytorch_model.bin.index.json: holds weights pickled by PyTorch, which are not read; expected");
  folder.write("pytorch_model.bin", "PK\x03\x04pickle");
  EXPECT_HAS(rejection(folder.name()), "/pytorch_model.bin");
  EXPECT_HAS(rejection(folder.file("pytorch_model.bin")), "pytorch_model.bin: holds weights pickled by PyTorch");
  EXPECT_HAS(rejection(folder.write("model.txt", "")), "is of no known format");
  folder.write("gpt2_tokenizer.bin", "");
  folder.write("a.bin", llmC(5));
  EXPECT_EQ(*findWeights(folder.name()), folder.file("a.bin"));
  folder.write("b.bin", "");
  EXPECT_HAS(rejection(folder.name()), "more than one checkpoint, a.bin and b.bin");
  folder.write("model.safetensors.index.json", "");
  EXPECT_EQ(*findWeights(folder.name()), folder.file("model.safetensors.index.json"));
  folder.write("model.safetensors", "");
  EXPECT_EQ(*findWeights(folder.name()), folder.file("model.safetensors"));
}

TEST(WeightBlock, PlacesAndTransposes) {
  Folder folder;
  constexpr int64_t rows = 70,
                    columns = 130; // more than a tile, and no multiple of one
  std::vector<float> stored(rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    stored[i] = float((i % columns) * rows + i / columns); // element (r, c) of the file is c * rows + r
  auto checkpoint =
      Checkpoint::open(folder.write("m.safetensors", safetensors({{"a", "F32", {3}, bytesOf<float>({1, 2, 3})},
                                                                  {"b", "F32", {rows, columns}, bytesOf(stored)},
                                                                  {"c", "I32", {1}, "abcd"}})),
                       "");
  ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
  EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "b", columns, rows, true), count(rows * columns));
  EXPECT_EQ(numbers<float>(*checkpoint, FloatType::F32, "b", rows, columns, false), stored);
  WeightBlock block(*checkpoint, FloatType::BF16);
  EXPECT_EQ(*block.add("a", 0, 3, false), 0);
  EXPECT_EQ(*block.add("b", rows, columns, false), 32); // 64 bytes further
  EXPECT_EQ(*block.add("a", 0, 3, false), 32 + (rows * columns + 31) / 32 * 32);
  EXPECT_EQ(block.elements(), 64 + (rows * columns + 31) / 32 * 32);
  ASSERT_TRUE(block.read());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
  EXPECT_EQ(static_cast<uint16_t *>(block.data())[block.elements() - 32 + 2],
            0x4040);                                             // 3
  EXPECT_TRUE(WeightBlock(*checkpoint, FloatType::BF16).read()); // of nothing

  EXPECT_HAS(addFailure(*checkpoint, "x", 0, 3), "m.safetensors: has no tensor 'x'");
  EXPECT_HAS(addFailure(*checkpoint, "a", 0, 4), "tensor 'a' has shape [3], expected [4]");
  EXPECT_HAS(addFailure(*checkpoint, "a", 1, 3), "tensor 'a' has shape [3], expected [1, 3]");
  EXPECT_HAS(addFailure(*checkpoint, "b", rows, columns, true), "'b' has shape [70, 130], expected [130, 70]");
  EXPECT_HAS(addFailure(*checkpoint, "c", 0, 1), "tensor 'c' is stored as I32; F32, F16 and BF16 can be read");
}

// Nearest, ties to even; infinities stay, an overflow becomes one, a NaN stays a NaN. F16 has subnormals.
TEST(WeightBlock, Rounding) {
  auto read = [](const std::string &dtype, const std::string &bytes) {
    Folder folder;
    auto checkpoint = Checkpoint::open(folder.write("m.safetensors", safetensors({{"a", dtype, {1}, bytes}})), "");
    EXPECT_TRUE(checkpoint) << checkpoint.failure().message;
    return numbers<uint16_t>(*checkpoint, FloatType::BF16, "a", 0, 1, false)[0];
  };
  auto f32 = [&](uint32_t bits) { return read("F32", bytesOf<uint32_t>({bits})); };
  auto f16 = [&](uint16_t bits) { return read("F16", bytesOf<uint16_t>({bits})); };
  EXPECT_EQ(f32(0x3F808000), 0x3F80); // half-way, down to even
  EXPECT_EQ(f32(0x3F818000), 0x3F82); // half-way, up to even
  EXPECT_EQ(f32(0x3F808001), 0x3F81);
  EXPECT_EQ(f32(0xBF808001), 0xBF81);
  EXPECT_EQ(f32(0x7F7FFFFF), 0x7F80);
  EXPECT_EQ(f32(0xFF800000), 0xFF80);
  EXPECT_GT(f32(0x7F800001) & 0x7FFF, 0x7F80);
  EXPECT_EQ(f16(0x3C00), 0x3F80); // 1
  EXPECT_EQ(f16(0x8001), 0xB380); // -2^-24, the smallest
  EXPECT_EQ(f16(0x7C00), 0x7F80); // infinity
  EXPECT_EQ(read("BF16", bytesOf<uint16_t>({0x1234})), 0x1234);
  EXPECT_EQ(read("BF16", bytesOf<uint16_t>({0x7F81})),
            0x7F81); // a signalling NaN, too
}

TEST(Npy, WritesOrSaysWhyNot) {
  Folder folder;
  std::vector<float> numbers = {1, -2.5f, 3};
  ASSERT_EQ(writeNpy(folder.file("x.npy").c_str(), numbers.data(), 3), 0);
  auto file = MappedFile::open(folder.file("x.npy"));
  ASSERT_TRUE(file);
  ASSERT_EQ(file->size(), 128u + 12u);
  EXPECT_EQ(file->text().substr(0, 10), std::string_view("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_HAS(std::string(file->text()), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(file->text()[127], '\n');
  EXPECT_EQ(file->text().substr(128), bytesOf(numbers));
  EXPECT_EQ(writeNpy(folder.file("no/x.npy").c_str(), numbers.data(), 3), ENOENT);
  EXPECT_EQ(writeNpy("/dev/full", numbers.data(), 3), ENOSPC);
}
