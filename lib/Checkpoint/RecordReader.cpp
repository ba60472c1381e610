//===- RecordReader.cpp - the tensors of a record -------------------------===//
#include "lispier/Checkpoint/RecordReader.h"
#include <algorithm>

using namespace lispier;

namespace {
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

bool isNumber(const std::string &text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// The name or names with the layer's number for each {}.
std::string numbered(std::string name, int64_t number) {
  for (size_t place; (place = name.find("{}")) != name.npos;)
    name.replace(place, 2, std::to_string(number));
  return name;
}

/// The names of "a + b + c".
std::vector<std::string> splitNames(const std::string &names) {
  std::vector<std::string> all;
  for (size_t start = 0, end = 0; end != names.npos; start = end + 3) {
    end = names.find(" + ", start);
    all.push_back(names.substr(start, end == names.npos ? end : end - start));
  }
  return all;
}
} // namespace

/// Compares the sizes of a tensor, or of the part of it that is read, with those that the field declares; returns what
/// is wrong, or "".
std::string RecordReader::fit(const Line &line, const std::string &name, const std::vector<uint64_t> &shape) {
  const Part &part = line.part;
  const std::vector<std::string> &dimensions = line.dimensions;
  std::string declared, known;
  bool fits = shape.size() == dimensions.size();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    // A size is called record/name: names belong to a record.
    const std::string &dimension = dimensions[d];
    std::string plain = dimension.substr(dimension.rfind('/') + 1);
    declared += (d ? ", " : "") + plain;
    if (d >= shape.size() || dimension == "_")
      continue;
    if (isNumber(dimension)) {
      fits &= std::to_string(shape[d]) == dimension;
      continue;
    }
    auto [entry, isNew] = sizes.try_emplace(dimension, Known{int64_t(shape[d]), part.field});
    if (!isNew && entry->second.size != int64_t(shape[d])) {
      fits = false;
      known += ", where " + plain + " is " + std::to_string(entry->second.size) + " in `" + entry->second.field + "`";
    }
  }
  if (fits)
    return "";
  return (isDivided(line) ? "what a rank has of tensor '" : "tensor '") + name + "' has shape " + shapeText(shape) +
         ", and the field `" + part.field + "` is [" + declared + "]" + known;
}

/// Reads one line of the table; the fields' names of the tensor are what is left.
RecordReader::Line RecordReader::parse(const std::vector<std::string> &columns) {
  std::optional<FloatType> type = parseFloatType(columns[1]);
  std::vector<std::string> dimensions = columns[3].empty() ? std::vector<std::string>() : split(columns[3], ' ');
  int64_t divided = -1;
  bool ofFirst = false;
  for (size_t d = 0; d < dimensions.size(); ++d)
    if (dimensions[d].ends_with("/+")) {
      dimensions[d].resize(dimensions[d].size() - 2);
      ofFirst = true;
    } else if (dimensions[d].ends_with('/')) {
      dimensions[d].pop_back();
      divided = int64_t(d);
    }
  return {Part{columns[0], type.value_or(FloatType::F32), {}, 0},
          std::move(dimensions),
          std::vector<std::string>(columns.begin() + 6, columns.end()),
          divided,
          ofFirst,
          columns[2] == "1",
          columns[4] == "1",
          columns[5] == "1"};
}

/// Makes `shape`, and what is read of a tensor that has it as the program sees it, those of a rank's part; returns what
/// is wrong, or "".
std::string RecordReader::cut(const Line &line, Piece &piece, std::vector<uint64_t> &shape) const {
  int64_t rows = 1, columns = shape.empty() ? 1 : int64_t(shape.back()), d = line.divided;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= int64_t(shape[i]);
  piece.excerpt = {rows, columns, line.isTransposed, line.isTransposed ? rows : columns, 0, line.ofFirst};
  if (!isDivided(line) || d >= int64_t(shape.size())) // A wrong number of dimensions is reported by `fit`.
    return "";
  if (shape[d] % ranks != 0)
    return "tensor '" + piece.name + "' has shape " + shapeText(shape) + ", and " + std::to_string(ranks) +
           " ranks over " + over + " do not divide dimension " + std::to_string(d) + " of it, " +
           std::to_string(shape[d]) + ", for the field `" + line.part.field + "`";
  shape[d] /= ranks;
  if (line.isTransposed) { // The file has the columns one behind the other.
    int64_t own = int64_t(shape[d]);
    piece.excerpt = {int64_t(shape[0]), int64_t(shape[1]), true, rows, own * (d == 0 ? 1 : rows)};
    return "";
  }
  // Runs of the file, each of the part of one index of the dimensions before.
  int64_t runs = 1, length = 1;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    (i < d ? runs : length) *= int64_t(shape[i]);
  piece.excerpt = {runs, length, false, length * ranks, length};
  return "";
}

/// Finds the tensor `name`, or the tensors "a + b ...", whose rows follow each other, in `pieces`. Gives the shape of
/// all as the program sees it, or says what is wrong.
std::string RecordReader::join(const Line &line, const std::string &name, std::vector<Piece> &pieces,
                               std::vector<uint64_t> &shape) {
  for (const std::string &each : splitNames(name)) {
    const TensorEntry *entry = checkpoint.find(each);
    if (!entry)
      return "has no tensor '" + each + "' for the field `" + line.part.field + "`";
    std::vector<uint64_t> own = entry->shape;
    if (line.isTransposed && own.size() != 2)
      return "the field `" + line.part.field + "` cannot be transposed: it is not a matrix";
    if (line.isTransposed)
      std::swap(own[0], own[1]);
    pieces.push_back({each, {}});
    if (std::string wrong = cut(line, pieces.back(), own); !wrong.empty())
      return wrong;
    if (pieces.size() == 1) {
      shape = own;
      continue;
    }
    if (own.empty() || own.size() != shape.size() || !std::equal(own.begin() + 1, own.end(), shape.begin() + 1))
      return "tensor '" + each + "' has shape " + shapeText(own) + ", which cannot follow " + shapeText(shape) +
             " in the field `" + line.part.field + "`";
    shape[0] += own[0];
  }
  return fit(line, name, shape);
}

/// Adds the tensor or the layers' tensors whose name is `pattern`; returns what is wrong, or "".
std::string RecordReader::addTensors(Line &line, const std::string &pattern, int64_t count) {
  WeightBlock &block = line.part.type == FloatType::F32 ? wide : narrow;
  auto [known, isNew] = placed.try_emplace({pattern, line.part.type, line.isTransposed, division(line)}, 0);
  for (int64_t k = 0; k < count; ++k) {
    std::vector<Piece> pieces;
    std::vector<uint64_t> shape;
    if (std::string wrong = join(line, line.isStacked ? numbered(pattern, k) : pattern, pieces, shape); !wrong.empty())
      return wrong;
    for (const Piece &piece : pieces) {
      if (!isNew)
        break;
      bool isFirst = k == 0 && &piece == &pieces.front();
      Result<int64_t> offset = block.append(piece.name, piece.excerpt, isFirst);
      if (!offset)
        return offset.failure().message;
      known->second = isFirst ? *offset : known->second;
    }
    if (k > 0)
      continue;
    if (line.isStacked)
      line.part.sizes.push_back(count);
    line.part.sizes.insert(line.part.sizes.end(), shape.begin(), shape.end());
  }
  line.part.offset = known->second;
  return "";
}

/// Adds the part that a line describes; returns what is wrong, or "".
std::string RecordReader::add(const std::vector<std::string> &columns) {
  if (columns.size() < 7)
    return "the line '" + columns[0] + "' of the table has " + std::to_string(columns.size()) + " columns";
  Line line = parse(columns);
  std::string tried;
  int64_t layers = 0;
  for (const std::string &pattern : line.names) {
    size_t place = pattern.find("{}");
    if (line.isStacked != (place != pattern.npos))
      return "the name '" + pattern + "' of the field `" + line.part.field + "` " +
             (line.isStacked ? "lacks {}, which stands for the number of a layer"
                             : "has {}, but the field is in no list");
    int64_t count = line.isStacked ? checkpoint.countNumbered(pattern.substr(0, place)) : 1;
    layers = std::max(layers, count);
    std::vector<std::string> names = splitNames(line.isStacked ? numbered(pattern, 0) : pattern);
    tried += (tried.empty() ? "'" : ", '") + names[0] + "'";
    // Where a part is optional, its tensors are those of all layers or of none.
    bool isThere = count > 0 && checkpoint.find(names[0]);
    for (int64_t k = 0; k < count && line.isOptional && !isThere; ++k)
      for (const std::string &name : splitNames(numbered(pattern, k)))
        isThere |= checkpoint.find(name) != nullptr;
    if (!isThere)
      continue;
    auto joins = [](const std::string &names) { return names.find(" + ") != names.npos; };
    if (isDivided(line) && line.divided == 0 && !joins(pattern) &&
        std::any_of(line.names.begin(), line.names.end(), joins))
      return "tensor '" + names[0] + "' has the rows of several, of each of which a rank over " + over +
             " has a part: the field `" + line.part.field + "` is divided only where the files have them one by one";
    std::string wrong = addTensors(line, pattern, count);
    if (wrong.empty())
      all.push_back(std::move(line.part));
    return wrong;
  }
  if (!line.isOptional)
    return "has no tensor " + tried + " for the field `" + line.part.field + "`";
  if (line.isStacked)
    line.part.sizes.push_back(layers);
  absent.push_back({all.size(), std::move(line.dimensions)});
  all.push_back(std::move(line.part));
  return "";
}

/// Makes zeros of an optional part that the files have not, of the sizes that other fields have told.
void RecordReader::addZeros(Part &part, const std::vector<std::string> &dimensions) {
  for (const std::string &dimension : dimensions) {
    auto known = sizes.find(dimension);
    part.sizes.push_back(isNumber(dimension) ? std::stoll(dimension) : known == sizes.end() ? 0 : known->second.size);
  }
  int64_t elements = 1;
  for (int64_t size : part.sizes)
    elements *= size;
  part.offset = (part.type == FloatType::F32 ? wide : narrow).appendZeros(elements);
}

Result<Done> RecordReader::find(std::string_view table) {
  std::string wrong, path = checkpoint.path() + ": ";
  for (const std::string &line : split(table, '\n'))
    if (std::string message = line.empty() ? "" : add(split(line, '\t')); !message.empty())
      wrong += (wrong.empty() ? "" : "\n") + (message.starts_with(path) ? "" : path) + message;
  if (!wrong.empty())
    return Failure{wrong};
  for (auto &[part, dimensions] : absent)
    addZeros(all[part], dimensions);
  return Done();
}

Result<Done> RecordReader::read(int64_t rank) {
  for (WeightBlock *block : {&wide, &narrow})
    if (block->elements() > 0)
      if (Result<Done> done = block->read(rank); !done)
        return done;
  return Done();
}

void *RecordReader::data(const Part &part) const {
  if (part.type == FloatType::F32)
    return static_cast<float *>(wide.data()) + part.offset;
  return static_cast<uint16_t *>(narrow.data()) + part.offset;
}
