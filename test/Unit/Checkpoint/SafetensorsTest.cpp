//===- SafetensorsTest.cpp - headers that tell the truth, and others ------===//
#include "lispier/Checkpoint/Safetensors.h"
#include "ModelFiles.h"
#include <gtest/gtest.h>

using namespace lispier;
using namespace lispier::test;

namespace {
/// The message that a file is rejected with; empty when it is accepted.
std::string rejection(const std::string &bytes) {
  Folder folder;
  auto file = MappedFile::open(folder.write("model.safetensors", bytes));
  if (!file)
    return file.failure().message;
  auto entries = readSafetensors(*file);
  if (entries)
    return "";
  EXPECT_HAS(entries.failure().message, folder.file("model.safetensors") + ": ");
  return entries.failure().message;
}

/// A file of 8 data bytes with this entry for tensor `a`.
std::string entry(const std::string &fields) { return safetensors("{\"a\":{" + fields + "}}", "12345678"); }
} // namespace

TEST(Safetensors, ReadsEntries) {
  Folder folder;
  std::string path = folder.write(
      "m.safetensors",
      safetensors({{"a", "F32", {2, 1}, "abcdefgh"}, {"b", "BF16", {3}, "ijklmn"}, {"scalar", "I64", {}, "12345678"}}));
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  auto entries = readSafetensors(*file);
  ASSERT_TRUE(entries) << entries.failure().message;
  ASSERT_EQ(entries->size(), 3u);
  const TensorEntry &b = entries->at("b");
  EXPECT_EQ(b.dtype, "BF16");
  EXPECT_EQ(b.shape, (std::vector<uint64_t>{3}));
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(b.data), b.bytes), "ijklmn");
  EXPECT_TRUE(entries->at("scalar").shape.empty());
}

// Metadata is no tensor, padding of the header is allowed, and an unknown dtype is the concern of who needs it.
TEST(Safetensors, AcceptsWhatIsHarmless) {
  EXPECT_EQ(rejection(safetensors("{\"__metadata__\":{\"format\":\"pt\"}}    ", "")), "");
  EXPECT_EQ(rejection(entry("\"dtype\":\"F6\",\"shape\":[3],\"data_offsets\":[0,8]")), "");
  EXPECT_EQ(rejection(safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", "")), "");
}

TEST(Safetensors, RejectsBadHeaders) {
  EXPECT_HAS(rejection(""), "is 0 bytes long");
  EXPECT_HAS(rejection("1234567"), "is 7 bytes long");
  EXPECT_HAS(rejection(bytesOf<uint64_t>({~uint64_t(0)}) + "{}"), "says its header is 18446744073709551615");
  EXPECT_HAS(rejection(bytesOf<uint64_t>({3}) + "{}"), "3 bytes long, but the file ends after 2");
  EXPECT_HAS(rejection(safetensors("{\"a\":", "")), "not a JSON object");
  EXPECT_HAS(rejection(safetensors("[]", "")), "not a JSON object");
  EXPECT_HAS(rejection(safetensors(std::string(100000, '['), "")), "not a JSON object");
  EXPECT_HAS(rejection(safetensors("{\"a\":{},\"a\":{}}", "")), "lists tensor 'a' twice");
}

TEST(Safetensors, RejectsEntriesThatLie) {
  EXPECT_HAS(rejection(safetensors("{\"a\":3}", "")), "tensor 'a' is not described by an object");
  EXPECT_HAS(rejection(entry("\"shape\":[2],\"data_offsets\":[0,8]")), "has no dtype");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]")), "has no shape");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[2.5],\"data_offsets\":[0,8]")), "has no shape");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]")), "has no data_offsets");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]")), "end before they begin");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]")),
             "data_offsets [0, 12], but the file holds 8 bytes");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                             "[18446744073709551612,18446744073709551615]")),
             "but the file holds 8 bytes");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
                             "[0,99999999999999999999]")),
             "has no data_offsets");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]")),
             "that is 12 bytes, but data_offsets [0, 8] hold 8");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[4611686018427387905,"
                             "2],\"data_offsets\":[0,8]")),
             "overflows 64 bits");
}

TEST(Safetensors, RejectsOverlap) {
  std::string header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                       "\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[2,6]}}";
  EXPECT_HAS(rejection(safetensors(header, "12345678")), "tensors 'a' and 'b' overlap");
}

TEST(Safetensors, RejectsBytesOfNoTensor) {
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]")),
             "has 4 bytes after its last tensor");
  EXPECT_HAS(rejection(entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]")),
             "has 4 bytes of no tensor before the data of 'a'");
  EXPECT_HAS(rejection(safetensors("{}", "x")), "has 1 bytes after its last tensor");
}

TEST(MappedFile, RejectsWhatIsNoFile) {
  Folder folder;
  EXPECT_HAS(MappedFile::open(folder.file("none")).failure().message, "none: cannot be opened: No such file");
  EXPECT_HAS(MappedFile::open(folder.name()).failure().message, "is not a regular file");
}
