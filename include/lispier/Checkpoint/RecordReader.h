//===- RecordReader.h - the tensors of a record ----------------*- C++ -*-===//
//
// Reads a model's weights by a table: for each part of a record of tensors its type, the
// names of its sizes and the name of its tensor in the files. Sizes come from the files,
// and equal names are equal. A field of a record in a list (`(list Block)`) is stacked:
// one part for all layers. The memory is two WeightBlocks, one for F32, one for BF16.
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
    int64_t offset;             ///< In the block of its type, in elements.
  };

  /// `checkpoint` must outlive `read`.
  explicit RecordReader(const Checkpoint &checkpoint)
      : wide(checkpoint, FloatType::F32), narrow(checkpoint, FloatType::BF16), checkpoint(checkpoint) {}

  /// Reads all parts of `table`, which has a line for each. Its columns, with tabs between, are:
  /// - the field, such as `h.up.weight`; F32 or BF16; 1 if it is stacked, else 0;
  /// - its dimensions, without the layers of a stacked part, with spaces between: each a number, a name `record/size`
  ///   (equal names are equal sizes), or _ for any size;
  /// - 1 if it is a matrix (in each layer) that the file has transposed, else 0; 1 if it is optional, else 0;
  /// - the tensor's name, and others that are tried if there is no such tensor. "a + b" is the rows of b after those of
  ///   a. {} in the name of a stacked part stands for the layer's number, from 0; there is one layer more than the
  ///   largest number N among the names that begin as the pattern does before {} and go on with `N.`.
  /// An optional part that the files do not have is zeros, of sizes that other fields tell; it is in all layers or in
  /// none. Sizes that no other field has, and _, are 0 then. A tensor that several parts name with the same type and
  /// transposition, as tied embeddings, is in memory once. Fails with a line for each part that is missing or does not
  /// fit, for each malformed line of the table, and if memory is exhausted. Called once.
  Result<Done> read(std::string_view table);
  /// In the order of the table.
  const std::vector<Part> &parts() const { return all; }
  /// The part's first element; valid after `read`, as long as the reader.
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
