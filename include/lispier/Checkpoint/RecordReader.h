//===- RecordReader.h - the tensors of a record ----------------*- C++ -*-===//
//
// Reads a model's weights by a table: for each part of a record of tensors its type, the
// names of its sizes and the name of its tensor in the files. Sizes come from the files,
// and equal names are equal. Parts of lists are stacked. The memory is a WeightBlock.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_RECORDREADER_H
#define LISPIER_CHECKPOINT_RECORDREADER_H

#include "lispier/Checkpoint/WeightBlock.h"
#include <tuple>

namespace lispier {
class RecordReader {
public:
  /// One part of the record, row-major.
  struct Part {
    std::string field;
    FloatType type;
    std::vector<int64_t> sizes; ///< The number of layers first, if the part is stacked.
    int64_t offset;             ///< In its block, in elements.
  };

  /// `checkpoint` must outlive `read`.
  explicit RecordReader(const Checkpoint &checkpoint)
      : wide(checkpoint, FloatType::F32), narrow(checkpoint, FloatType::BF16), checkpoint(checkpoint) {}

  /// Reads all parts of `table`, which has a line for each, with tabs between: the field, such as `h.up.weight`; F32 or
  /// BF16; 1 if it is stacked; its dimensions, with spaces between: a number, a name or _; 1 if the file has the last
  /// two dimensions exchanged; 1 if it is optional; then the tensor's name, and others that are tried if there is no
  /// such tensor. {} in the name of a stacked part stands for the layer's number, of which there are as many as names
  /// with numbers. "a + b" is the rows of b after those of a. An optional part that the files have not is zeros, of
  /// sizes that other fields tell; other sizes are 0. A tensor that several parts have, as tied embeddings, is in
  /// memory once. Fails with a line for each part whose tensor is missing or does not fit.
  Result<Done> read(std::string_view table);
  const std::vector<Part> &parts() const { return all; }
  void *data(const Part &part) const;

private:
  struct Known {
    int64_t size;
    std::string field;
  };
  struct Line {
    Part part;
    std::vector<std::string> dimensions, names;
    bool isStacked, isTransposed, isOptional;
  };
  static Line parse(const std::vector<std::string> &columns);
  struct Piece {
    std::string name;
    int64_t rows, columns;
  };
  std::string join(const Line &line, const std::string &name, std::vector<Piece> &pieces, std::vector<uint64_t> &shape);
  std::string addTensors(Line &line, const std::string &pattern, int64_t count);
  void addZeros(Part &part, const std::vector<std::string> &dimensions);
  std::string add(const std::vector<std::string> &columns);
  std::string fit(const Part &part, const std::vector<std::string> &dimensions, const std::string &name,
                  const std::vector<uint64_t> &shape);

  WeightBlock wide, narrow;
  const Checkpoint &checkpoint;
  std::vector<Part> all;
  std::map<std::string, Known> sizes;
  std::map<std::tuple<std::string, FloatType, bool>, int64_t> placed; ///< Offsets by name, type and transposition.
  std::vector<std::pair<size_t, std::vector<std::string>>> absent;    ///< Numbers of parts, and their dimensions.
};
} // namespace lispier
#endif
