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

  /// `checkpoint` must outlive `read`. Divided tensors have a part for each of `ranks`, whose axes `over` names.
  explicit RecordReader(const Checkpoint &checkpoint, int64_t ranks = 1, std::string over = {})
      : wide(checkpoint, FloatType::F32), narrow(checkpoint, FloatType::BF16), checkpoint(checkpoint), ranks(ranks),
        over(std::move(over)) {}

  /// Finds all parts of `table`, which has a line for each. Its columns, with tabs between, are:
  /// - the field, such as `h.up.weight`; F32 or BF16; 1 if it is stacked, else 0;
  /// - its dimensions, without the layers of a stacked part, with spaces between: each a number, a name `record/size`
  ///   (equal names are equal sizes), or _ for any size. With / behind it the tensor is divided along the dimension:
  ///   a rank reads its part of it, of each if several follow each other, and the sizes are those of the part;
  ///   with /+ behind one the first rank reads the tensor, and the others have zeros;
  /// - 1 if it is a matrix (in each layer) that the file has transposed, else 0; 1 if it is optional, else 0;
  /// - the tensor's name, and others that are tried if there is no such tensor. "a + b" is the rows of b after those of
  ///   a. {} in the name of a stacked part stands for the layer's number, from 0; there is one layer more than the
  ///   largest number N among the names that begin as the pattern does before {} and go on with `N.`.
  /// An optional part that the files do not have is zeros, of sizes that other fields tell; it is in all layers or in
  /// none. Sizes that no other field has, and _, are 0 then. A tensor that several parts name with the same type,
  /// transposition and division, as tied embeddings, is in memory once. Fails with a line for each part that is missing
  /// or does not fit, and for each malformed line of the table. Called once.
  Result<Done> find(std::string_view table);
  /// Reads the parts that `find` has found, for a rank. Fails if memory is exhausted. Called once.
  Result<Done> read(int64_t rank = 0);
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
    int64_t divided; ///< The dimension of which a rank has a part; -1 if it has all of each.
    bool ofFirst;    ///< The first rank has the tensor, the others zeros.
    bool isStacked, isTransposed, isOptional;
  };
  static Line parse(const std::vector<std::string> &columns);
  struct Piece {
    std::string name;
    Excerpt excerpt;
  };
  std::string cut(const Line &line, Piece &piece, std::vector<uint64_t> &shape) const;
  std::string join(const Line &line, const std::string &name, std::vector<Piece> &pieces, std::vector<uint64_t> &shape);
  std::string addTensors(Line &line, const std::string &pattern, int64_t count);
  void addZeros(Part &part, const std::vector<std::string> &dimensions);
  std::string add(const std::vector<std::string> &columns);
  std::string fit(const Line &line, const std::string &name, const std::vector<uint64_t> &shape);
  int64_t division(const Line &line) const { return ranks == 1 ? -1 : line.ofFirst ? -2 : line.divided; }
  bool isDivided(const Line &line) const { return line.divided >= 0 && ranks > 1; }

  WeightBlock wide, narrow;
  const Checkpoint &checkpoint;
  int64_t ranks;
  std::string over;
  std::vector<Part> all;
  std::map<std::string, Known> sizes;
  /// Offsets by name, type, transposition and divided dimension.
  std::map<std::tuple<std::string, FloatType, bool, int64_t>, int64_t> placed;
  std::vector<std::pair<size_t, std::vector<std::string>>> absent; ///< Numbers of parts, and their dimensions.
};
} // namespace lispier
#endif
