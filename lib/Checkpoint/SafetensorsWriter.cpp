//===- SafetensorsWriter.cpp - writes a .safetensors file -----------------===//
#include "lispier/Checkpoint/SafetensorsWriter.h"
#include "NewFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/Safetensors.h"
#include <nlohmann/json.hpp>

using namespace lispier;
using nlohmann::ordered_json;

Result<Done> SafetensorsWriter::add(const std::string &name, const std::string &dtype,
                                    const std::vector<uint64_t> &shape, const void *data) {
  auto fail = [&](const std::string &message) { return Failure{"tensor " + inQuotes(name) + " " + message}; };
  auto unit = elementBytes(dtype);
  if (!unit)
    return fail("has the type " + inQuotes(dtype) + ", which a safetensors file has not");
  uint64_t bytes = *unit;
  for (uint64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return fail("has shape " + shapeText(shape) + ", whose size overflows 64 bits");
  if (name == "__metadata__")
    return fail("has a name that the format keeps for itself");
  if (!names.insert(name).second)
    return fail("is written twice");
  tensors.push_back({name, dtype, shape, data, *unit, bytes});
  return Done();
}

std::string SafetensorsWriter::header(const std::vector<const Tensor *> &order) const {
  ordered_json root = ordered_json::object();
  root["__metadata__"] = ordered_json::object();
  if (metadata.empty())
    root["__metadata__"]["format"] = "pt";
  for (auto &[key, value] : metadata)
    root["__metadata__"][key] = value;
  uint64_t at = 0;
  for (const Tensor *tensor : order) {
    root[tensor->name] = {
        {"dtype", tensor->dtype}, {"shape", tensor->shape}, {"data_offsets", {at, at + tensor->bytes}}};
    at += tensor->bytes;
  }
  std::string text = root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' '); // The data begins at a multiple of 8.
  return text;
}

Result<Done> SafetensorsWriter::write(const std::string &path) const {
  // Readers want each tensor at a multiple of its elements' size, and no bytes between tensors.
  std::vector<const Tensor *> order;
  for (uint64_t unit : {8, 4, 2, 1})
    for (const Tensor &tensor : tensors)
      if (tensor.unit == unit)
        order.push_back(&tensor);
  std::string text = header(order);
  uint64_t size = text.size();
  auto file = NewFile::create(path);
  if (!file)
    return file.failure();
  if (auto written = file->write(&size, sizeof size); !written)
    return written;
  if (auto written = file->write(text.data(), text.size()); !written)
    return written;
  for (const Tensor *tensor : order)
    if (auto written = file->write(tensor->data, tensor->bytes); !written)
      return written;
  return file->finish();
}
