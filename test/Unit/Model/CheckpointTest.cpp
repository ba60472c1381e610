//===- CheckpointTest.cpp - weights from both formats ----------------------===//
#include "lispier/Model/Checkpoint.h"
#include "Files.h"
#include "lispier/Model/Npy.h"
#include <bit>
#include <gtest/gtest.h>
#include <numeric>

using namespace lispier;
using namespace lispier::test;

namespace {
// A model with sizes that all differ: 2 layers, 1 head of 64... 3 positions, 5 tokens in 6 rows.
constexpr int64_t kLayers = 2, kChannels = 64, kPositions = 3, kTokens = 5, kRows = 6;

/// Element `i` of tensor `kind` of `layer`, exact in BF16.
float value(int kind, int64_t layer, int64_t i) { return float((kind * 7 + layer * 3 + i) % 251 - 125) / 64; }

std::vector<float> values(int kind, int64_t layer, int64_t count) {
  std::vector<float> list(count);
  for (int64_t i = 0; i < count; ++i)
    list[i] = value(kind, layer, i);
  return list;
}

std::string bf16(const std::vector<float> &list) {
  std::vector<uint16_t> bits;
  for (float number : list)
    bits.push_back(std::bit_cast<uint32_t>(number) >> 16);
  return bytesOf(bits);
}

Gpt2Shape tiny() {
  Gpt2Shape shape;
  shape.layers = kLayers, shape.heads = 1, shape.channels = kChannels, shape.positions = kPositions;
  shape.vocabulary = kTokens, shape.paddedVocabulary = kRows, shape.endOfText = kTokens - 1;
  return shape;
}

std::string llmC(int32_t version, std::vector<int32_t> changes = {}) {
  std::vector<int32_t> header(256);
  header[0] = 20240326, header[1] = version, header[2] = kPositions, header[3] = kTokens;
  header[4] = kLayers, header[5] = 1, header[6] = kChannels, header[7] = kRows;
  for (size_t i = 0; i + 1 < changes.size(); i += 2)
    header[changes[i]] = changes[i + 1];
  std::string file = bytesOf(header);
  for (int kind = 0; kind <= LISPIER_FINAL_NORM_BIAS; ++kind)
    for (int64_t layer = 0; layer < (isPerLayer(lispier_tensor(kind)) ? kLayers : 1); ++layer) {
      TensorShape shape = tensorShape(tiny(), lispier_tensor(kind));
      std::vector<float> list = values(kind, layer, shape.rows * shape.columns);
      file += version == 3 ? bytesOf(list) : bf16(list);
    }
  return file;
}

/// Hugging Face's tensors of the same model, projections (in, out).
std::vector<Tensor> huggingFace(const std::string &prefix) {
  constexpr const char *names[] = {"wte.weight",         "wpe.weight",       "ln_1.weight",        "ln_1.bias",
                                   "attn.c_attn.weight", "attn.c_attn.bias", "attn.c_proj.weight", "attn.c_proj.bias",
                                   "ln_2.weight",        "ln_2.bias",        "mlp.c_fc.weight",    "mlp.c_fc.bias",
                                   "mlp.c_proj.weight",  "mlp.c_proj.bias",  "ln_f.weight",        "ln_f.bias"};
  std::vector<Tensor> tensors;
  for (int kind = 0; kind <= LISPIER_FINAL_NORM_BIAS; ++kind)
    for (int64_t layer = 0; layer < (isPerLayer(lispier_tensor(kind)) ? kLayers : 1); ++layer) {
      auto [rows, columns] = tensorShape(tiny(), lispier_tensor(kind));
      bool layered = isPerLayer(lispier_tensor(kind)), projection = layered && rows > 1;
      std::vector<float> list = values(kind, layer, rows * columns), stored = list;
      for (int64_t i = 0; projection && i < rows * columns; ++i)
        stored[(i % columns) * rows + i / columns] = list[i];
      std::string name = prefix + (layered ? "h." + std::to_string(layer) + "." : "") + names[kind];
      std::vector<int64_t> shape = projection ? std::vector{columns, rows}
                                   : rows > 1 ? std::vector{rows, columns}
                                              : std::vector{columns};
      tensors.push_back({name, "F32", shape, bytesOf(stored)});
    }
  return tensors;
}

void expectTiny(const Checkpoint &checkpoint) {
  for (int kind = 0; kind <= LISPIER_FINAL_NORM_BIAS; ++kind)
    for (int64_t layer = 0; layer < (isPerLayer(lispier_tensor(kind)) ? kLayers : 1); ++layer) {
      auto [rows, columns] = tensorShape(tiny(), lispier_tensor(kind));
      const uint16_t *data = checkpoint.tensor(lispier_tensor(kind), layer);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
      for (int64_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(std::bit_cast<float>(uint32_t(data[i]) << 16), value(kind, layer, i))
            << "kind " << kind << " element " << i;
    }
}

std::string rejection(const std::string &path) {
  auto found = findWeights(path);
  if (!found)
    return found.failure().message;
  auto read = readCheckpoint(*found);
  return read ? "" : read.failure().message;
}
} // namespace

TEST(Checkpoint, LlmC) {
  Folder folder;
  for (int32_t version : {3, 5}) {
    auto checkpoint = readCheckpoint(folder.write("m.bin", llmC(version)));
    ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
    EXPECT_EQ(checkpoint->shape().vocabulary, kTokens);
    EXPECT_EQ(checkpoint->shape().paddedVocabulary, kRows);
    expectTiny(*checkpoint);
    EXPECT_EQ(checkpoint->tensor(LISPIER_OUTPUT_WEIGHT, 0), checkpoint->tensor(LISPIER_TOKEN_EMBEDDING, 0));
  }
}

TEST(Checkpoint, HuggingFaceWithAndWithoutPrefix) {
  for (const char *prefix : {"", "transformer."}) {
    Folder folder;
    std::vector<Tensor> tensors = huggingFace(prefix);
    tensors.push_back({prefix + std::string("h.0.attn.bias"), "BOOL", {1, 1, 3, 3}, std::string(9, '\1')});
    tensors.push_back({prefix + std::string("h.1.attn.masked_bias"), "F32", {}, bytesOf<float>({-1e4f})});
    auto checkpoint = readCheckpoint(folder.write("model.safetensors", safetensors(tensors)));
    ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
    EXPECT_EQ(checkpoint->shape().layers, kLayers);
    EXPECT_EQ(checkpoint->shape().heads, 1);
    EXPECT_EQ(checkpoint->shape().vocabulary, kRows);
    EXPECT_EQ(checkpoint->shape().epsilon, 1e-5f);
    expectTiny(*checkpoint);
  }
}

TEST(Checkpoint, ConfigGivesHeadsAndEpsilon) {
  Folder folder;
  std::string path = folder.write("model.safetensors", safetensors(huggingFace("")));
  folder.write("config.json", "{\"n_head\": 4, \"layer_norm_epsilon\": 1e-3, \"vocab_size\": 5, \"eos_token_id\": 2}");
  auto checkpoint = readCheckpoint(path);
  ASSERT_TRUE(checkpoint) << checkpoint.failure().message;
  EXPECT_EQ(checkpoint->shape().heads, 4);
  EXPECT_EQ(checkpoint->shape().epsilon, 1e-3f);
  EXPECT_EQ(checkpoint->shape().vocabulary, 5);
  EXPECT_EQ(checkpoint->shape().endOfText, 2);
}

TEST(Checkpoint, OutputWeightOfItsOwn) {
  Folder folder;
  std::vector<Tensor> tensors = huggingFace("transformer.");
  tensors.push_back({"lm_head.weight", "F32", {kRows, kChannels}, tensors[0].bytes});
  auto tied = readCheckpoint(folder.write("model.safetensors", safetensors(tensors)));
  ASSERT_TRUE(tied) << tied.failure().message;
  EXPECT_EQ(tied->tensor(LISPIER_OUTPUT_WEIGHT, 0), tied->tensor(LISPIER_TOKEN_EMBEDDING, 0));
  tensors.back().bytes = bytesOf(values(99, 0, kRows * kChannels));
  auto own = readCheckpoint(folder.write("model.safetensors", safetensors(tensors)));
  ASSERT_TRUE(own) << own.failure().message;
  EXPECT_EQ(std::bit_cast<float>(uint32_t(own->tensor(LISPIER_OUTPUT_WEIGHT, 0)[3]) << 16), value(99, 0, 3));
  expectTiny(*own);
}

// Nearest, ties to even; infinities stay, an overflow becomes one, a NaN stays a NaN. F16 has subnormals.
TEST(Checkpoint, Rounding) {
  auto first = [](const std::string &dtype, const std::string &two) {
    Folder folder;
    std::vector<Tensor> tensors = huggingFace("");
    tensors[2].dtype = dtype; // ln_1.weight of layer 0
    std::string bytes;
    while (bytes.size() < size_t(kChannels) * (dtype == "F32" ? 4 : 2))
      bytes += two;
    tensors[2].bytes = bytes;
    auto checkpoint = readCheckpoint(folder.write("model.safetensors", safetensors(tensors)));
    EXPECT_TRUE(checkpoint) << checkpoint.failure().message;
    return checkpoint->tensor(LISPIER_NORM1_WEIGHT, 0)[0];
  };
  auto f32 = [&](uint32_t bits) { return first("F32", bytesOf<uint32_t>({bits})); };
  auto f16 = [&](uint16_t bits) { return first("F16", bytesOf<uint16_t>({bits})); };
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
  EXPECT_EQ(first("BF16", bytesOf<uint16_t>({0x1234})), 0x1234);
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
  EXPECT_HAS(with(llmC(5, {0, 20240520})), "magic 20240520, an llm.c checkpoint with 20240326");
  EXPECT_HAS(with("PK\x03\x04 and more"), "is a PyTorch archive");
  EXPECT_HAS(with(llmC(4)), "version 4; versions 3 (F32) and 5 (BF16) can be read");
  EXPECT_HAS(with(llmC(5, {4, -2})), "has layers -2; expected 1 to 4096");
  EXPECT_HAS(with(llmC(5, {6, 0})), "has channels 0");
  EXPECT_HAS(with(llmC(5, {6, 0x7FFFFFFF})), "has channels 2147483647");
  EXPECT_HAS(with(llmC(5, {5, 5})), "64 channels, which 5 heads do not divide");
  EXPECT_HAS(with(llmC(5, {7, 4})), "a vocabulary of 5 tokens, but only 4 rows");
  EXPECT_HAS(with(llmC(5, {4, 4096, 6, 65536, 5, 1})), "is truncated: ");
}

TEST(Checkpoint, RejectsBadHuggingFaceFiles) {
  auto with = [](auto change, const char *config = nullptr) {
    Folder folder;
    std::vector<Tensor> tensors = huggingFace("");
    change(tensors);
    if (config)
      folder.write("config.json", config);
    return rejection(folder.write("model.safetensors", safetensors(tensors)));
  };
  auto as = [](std::vector<Tensor> &) {};
  EXPECT_EQ(with(as), "");
  EXPECT_HAS(with([](auto &t) { t.erase(t.begin()); }), "has no tensor 'wte.weight'; is this a GPT-2?");
  EXPECT_HAS(with([](auto &t) { t.erase(t.begin() + 5); }), "has no tensor 'h.1.ln_1.bias'");
  EXPECT_HAS(with([](auto &t) { t[2].dtype = "I32"; }), "'h.0.ln_1.weight' is stored as I32; F32, F16 and BF16");
  EXPECT_HAS(with([](auto &t) { t[6].shape = {192, 64}; }),
             "'h.0.attn.c_attn.weight' has shape [192, 64], expected [64, 192]");
  EXPECT_HAS(with([](auto &t) {
               t.push_back(t[0]);
               t.back().name = "transformer.wte.weight";
             }),
             "both with and without");
  EXPECT_HAS(with([](auto &t) { t.push_back({"h.4000000.x", "F32", {0}, ""}); }), "has layers 4000001");
  EXPECT_HAS(with(as, "{\"n_head\": 3}"), "which 3 heads do not divide");
  EXPECT_HAS(with(as, "{\"n_head\": \"x\"}"), "config.json: 'n_head' is not a non-negative integer");
  EXPECT_HAS(with(as, "{\"n_layer\": 3}"), "config.json: n_layer is 3, but the weights have 2");
  EXPECT_HAS(with(as, "{\"vocab_size\": 7}"), "a vocabulary of 7 tokens, but only 6 rows");
  EXPECT_HAS(with(as, "{\"layer_norm_epsilon\": -1}"), "'layer_norm_epsilon' is not a positive number");
  EXPECT_HAS(with(as, "{\"activation_function\": \"relu\"}"), "activation_function is 'relu'");
  EXPECT_HAS(with(as, "{\"n_inner\": 100}"), "n_inner is 100");
  EXPECT_HAS(with(as, "{"), "config.json: is not a JSON object");
}

TEST(Checkpoint, FindsTheFile) {
  Folder folder;
  EXPECT_HAS(rejection(folder.file("none")), "none: no such file or directory");
  EXPECT_HAS(rejection(folder.name()), "holds neither model.safetensors nor a .bin");
  EXPECT_HAS(rejection(folder.write("model.txt", "")), "is neither a .safetensors nor a .bin file");
  folder.write("gpt2_tokenizer.bin", "");
  folder.write("a.bin", llmC(5));
  EXPECT_EQ(*findWeights(folder.name()), folder.file("a.bin"));
  folder.write("b.bin", "");
  EXPECT_HAS(rejection(folder.name()), "more than one checkpoint, a.bin and b.bin");
  folder.write("model.safetensors", "");
  EXPECT_EQ(*findWeights(folder.name()), folder.file("model.safetensors"));
}

TEST(Npy, WritesOrSaysWhyNot) {
  Folder folder;
  std::vector<float> numbers = {1, -2.5f, 3};
  ASSERT_TRUE(writeNpy(folder.file("x.npy"), numbers.data(), 3));
  auto file = MappedFile::open(folder.file("x.npy"));
  ASSERT_TRUE(file);
  ASSERT_EQ(file->size(), 128u + 12u);
  EXPECT_EQ(file->text().substr(0, 10), std::string_view("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_HAS(std::string(file->text()), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(file->text()[127], '\n');
  EXPECT_EQ(file->text().substr(128), bytesOf(numbers));
  EXPECT_HAS(writeNpy(folder.file("no/x.npy"), numbers.data(), 3).failure().message,
             "x.npy: cannot be written: No such");
  EXPECT_HAS(writeNpy("/dev/full", numbers.data(), 3).failure().message, "/dev/full: cannot be written: No space");
}
