//===- ModelFiles.h - small model files, good and bad ----------*- C++ -*-===//
#ifndef LISPIER_TEST_UNIT_CHECKPOINT_MODELFILES_H
#define LISPIER_TEST_UNIT_CHECKPOINT_MODELFILES_H

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// That a message says something.
#define EXPECT_HAS(text, part) EXPECT_PRED_FORMAT2(::testing::IsSubstring, std::string(part), std::string(text))

namespace lispier::test {
/// A folder that goes away with the test.
class Folder {
public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lispier-checkpoint-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(std::string_view name) const { return (path / name).string(); }
  std::string name() const { return path.string(); }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

private:
  std::filesystem::path path;
};

/// The table of model types of Llama's program: what is between the quotes of its string.
inline std::string llamaFamilies() {
  std::ifstream file(LISPIER_LLAMA_FAMILIES);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  size_t begin = text.find('"'), end = text.rfind('"');
  return begin < end ? text.substr(begin + 1, end - begin - 1) : "";
}

/// The bytes of numbers, as a little-endian machine holds them.
template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

/// A safetensors file from its header's text and its data.
inline std::string safetensors(const std::string &header, const std::string &data) {
  return bytesOf(std::vector<uint64_t>{header.size()}) + header + data;
}

/// GPT-2's rules of text, which many models share.
constexpr const char *kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char *kEndOfText = "<|endoftext|>";

/// One tensor of a file under construction.
struct Tensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

inline std::string safetensors(const std::vector<Tensor> &tensors) {
  std::string header = "{", data;
  for (const Tensor &tensor : tensors) {
    std::string shape;
    for (int64_t size : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    header += (header.size() > 1 ? "," : "") + ("\"" + tensor.name + "\":{\"dtype\":\"" + tensor.dtype) +
              "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + tensor.bytes.size()) + "]}";
    data += tensor.bytes;
  }
  return safetensors(header + "}", data);
}
} // namespace lispier::test
#endif
