//===- Generate.cpp - .td files to the rows of OdsTables.h ----------------===//
//
// Runs at build time only, on the .td files that MLIR's packages install:
//
//   lispier-ods-gen ROWS CONSTRAINTS -I DIR... FILE.td...
//
// ROWS holds constant arrays; CONSTRAINTS a C++ function for each type constraint.
// Each file is parsed separately, because two dialects may define records of the same name.
//
//===----------------------------------------------------------------------===//
#include "lispier/IRGen/OdsTables.h"
#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/Format.h"
#include "mlir/TableGen/Operator.h"
#include "mlir/TableGen/Property.h"
#include "mlir/TableGen/Trait.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Parser.h"
#include "llvm/TableGen/Record.h"
#include <map>

using namespace llvm;
using namespace lispier::ods;
namespace tblgen = mlir::tblgen;

namespace {
/// An op before its rows are numbered; ops are sorted by name.
struct OpEntry {
  std::string className; ///< With namespaces.
  Text summary = 0;
  uint16_t flags = 0;
  std::vector<ValueRow> operands, results;
  std::vector<AttributeRow> attributes;
  std::vector<RelationRow> relations;
  std::vector<RegionRow> regions, successors;
  std::string terminator;           ///< A C++ class, perhaps with namespaces.
  std::vector<std::string> parents; ///< C++ classes of the ops of which one must stand around this one.
  bool endsBlocks = false;
};

class Tables {
public:
  Tables() {
    intern("");
    kinds[{AttributeKind::Other, 0, 0, 0, 0}] = 0;
    enums.emplace_back();
  }
  void read(const RecordKeeper &records);
  void writeRows(raw_ostream &os);
  /// Writes `bool fitsN(mlir::Type type)` for each type constraint N, then the array `kConstraints` of them.
  void writeConstraints(raw_ostream &os);

private:
  using KindKey = std::tuple<AttributeKind, uint16_t, uint16_t, Text, Text>;
  Text intern(StringRef text);
  void readOp(const tblgen::Operator &op);
  ValueRow value(const tblgen::NamedTypeConstraint &value);
  AttributeRow attribute(const tblgen::NamedAttribute &named);
  AttributeRow property(const tblgen::NamedProperty &named);
  uint16_t kindOf(const tblgen::Attribute &attribute);
  uint16_t constraintOf(const tblgen::TypeConstraint &constraint);
  uint16_t enumeration(const Record *record);
  void readTrait(const tblgen::Operator &op, const tblgen::Trait &trait, OpEntry &entry);
  std::string opOfClass(StringRef className, StringRef from);
  void findTerminators();

  StringMap<Text> textAt;
  std::string texts;
  std::map<KindKey, uint16_t> kinds;
  std::map<std::string, uint16_t> constraints; ///< By their C++ expressions, in `type`.
  std::vector<Text> constraintTexts;           ///< By number: "any integer".
  std::vector<std::vector<EnumCaseRow>> enums; ///< The first is empty.
  StringMap<uint16_t> enumAt;
  StringMap<const Record *> attrDefs; ///< Attribute definitions of the current file, by storage class.
  std::map<std::string, OpEntry> ops;
};

Text Tables::intern(StringRef text) {
  auto [at, isNew] = textAt.try_emplace(text, texts.size());
  if (isNew)
    (texts += text) += '\0';
  return at->second;
}

/// The type that a builder call returns, in MLIR's spelling; empty if it is not a builtin type.
std::string typeOf(StringRef call) {
  call = call.trim();
  if (!call.consume_front("$_builder.get"))
    return "";
  if (call.consume_front("IntegerType(")) {
    unsigned width;
    if (call.consumeInteger(10, width))
      return "";
    bool isSigned = call.contains("true"), isUnsigned = call.contains("false");
    return (isSigned ? "si" : isUnsigned ? "ui" : "i") + std::to_string(width);
  }
  if (!call.consume_back("()") || !call.consume_back("Type"))
    return "";
  return StringSwitch<std::string>(call)
      .Cases({"Index", "None", "F16", "F32", "F64", "BF16", "F80", "F128"}, call.lower())
      .StartsWith("I", call.drop_front().empty() || !isDigit(call[1]) ? "" : call.lower())
      .Default("");
}

/// The type that a bare number takes under a value constraint; empty if other operands determine it.
std::string typeOf(const tblgen::TypeConstraint &constraint) {
  if (auto call = constraint.getBuilderCall())
    return typeOf(*call);
  const Record *record = &constraint.getDef();
  while (record->getValue("baseType") && isa<DefInit>(record->getValueInit("baseType")))
    record = record->getValueAsDef("baseType");
  if (record->isSubClassOf("LLVM_ScalarOrVectorOf"))
    record = record->getValueAsListOfDefs("allowedTypes").front();
  return StringSwitch<std::string>(record->getName())
      .Case("BoolLike", "i1")                     // Or a vector of them.
      .Case("AnySignlessIntegerOrIndex", "index") // By far the most common choice.
      .Case("LLVM_AnyPointer", "!llvm.ptr")       // In the default address space.
      .Default("");
}

uint16_t Tables::constraintOf(const tblgen::TypeConstraint &constraint) {
  tblgen::FmtContext context;
  std::string condition = tblgen::tgfmt(constraint.getPredicate().getCondition(), &context.withSelf("type")).str();
  auto [at, isNew] = constraints.try_emplace(std::move(condition), constraints.size());
  if (isNew)
    constraintTexts.push_back(intern(constraint.getSummary()));
  return at->second;
}

ValueRow Tables::value(const tblgen::NamedTypeConstraint &named) {
  ValueRow row{intern(named.name), intern(typeOf(named.constraint)), 0, constraintOf(named.constraint), Arity::One};
  if (named.constraint.isVariadicOfVariadic()) {
    row.arity = Arity::Groups;
    row.groups = intern(named.constraint.getVariadicOfVariadicSegmentSizeAttr());
  } else if (named.isOptional())
    row.arity = Arity::Optional;
  else if (named.isVariadic())
    row.arity = Arity::Variadic;
  return row;
}

uint16_t Tables::enumeration(const Record *record) {
  auto [at, isNew] = enumAt.try_emplace(
      (record->getValueAsString("cppNamespace") + "::" + record->getValueAsString("className")).str(), enums.size());
  if (!isNew)
    return at->second;
  std::vector<EnumCaseRow> rows;
  for (const tblgen::EnumCase &one : tblgen::EnumInfo(record).getAllCases())
    rows.push_back({intern(one.getStr()), uint32_t(one.getValue())});
  enums.push_back(std::move(rows));
  return at->second;
}

/// Whether the spelling of an attribute begins with the name of a dialect; builtin attributes' do not.
bool isOfDialect(const Record &attribute) {
  return attribute.isSubClassOf("AttrDef") && attribute.getValueAsDef("dialect")->getValueAsString("name") != "builtin";
}

uint16_t Tables::kindOf(const tblgen::Attribute &attribute) {
  tblgen::Attribute base = attribute.getBaseAttr();
  // A constraint may name the C++ class of a dialect's attribute instead of its definition.
  if (auto known = attrDefs.find(base.getStorageType()); known != attrDefs.end())
    base = tblgen::Attribute(known->second);
  const Record &def = base.getDef();
  AttributeKind kind = AttributeKind::Other;
  uint16_t element = 0, enumeration = 0;
  std::string text;
  StringRef storage = base.getStorageType();
  storage.consume_front("::");
  storage.consume_front("mlir::");
  auto valueType = [&] {
    auto type = attribute.getValueType();
    auto call = type ? type->getBuilderCall() : std::nullopt;
    return call ? typeOf(*call) : "";
  };
  if (isOfDialect(def)) {
    auto mnemonic = def.getValueAsOptionalString("mnemonic");
    bool isEnum = def.isSubClassOf("EnumAttr");
    kind = isEnum ? AttributeKind::Enum : AttributeKind::Dialect;
    if (mnemonic)
      text = ("#" + base.getDialect().getName() + "." + *mnemonic).str();
    if (isEnum)
      enumeration = this->enumeration(def.getValueAsDef("enum"));
  } else if (def.isSubClassOf("EnumAttrInfo")) {
    text = valueType();
    kind = text.empty() ? AttributeKind::Enum : AttributeKind::IntegerEnum;
    enumeration = this->enumeration(&def);
  } else {
    kind = StringSwitch<AttributeKind>(storage)
               .Case("UnitAttr", AttributeKind::Unit)
               .Case("BoolAttr", AttributeKind::Bool)
               .Case("IntegerAttr", AttributeKind::Integer)
               .Case("FloatAttr", AttributeKind::Float)
               .Case("StringAttr", AttributeKind::String)
               .Case("TypeAttr", AttributeKind::Type)
               .Case("SymbolRefAttr", AttributeKind::Symbol)
               .Case("FlatSymbolRefAttr", AttributeKind::FlatSymbol)
               .Case("ArrayAttr", AttributeKind::Array)
               .Cases({"ElementsAttr", "DenseElementsAttr", "DenseIntElementsAttr", "DenseFPElementsAttr"},
                      AttributeKind::Elements)
               .Case("DictionaryAttr", AttributeKind::Dictionary)
               .Case("AffineMapAttr", AttributeKind::AffineMap)
               .Case("IntegerSetAttr", AttributeKind::IntegerSet)
               .Default(AttributeKind::Other);
    if (kind == AttributeKind::Integer || kind == AttributeKind::Float)
      text = valueType();
    if (storage.consume_front("Dense") && storage.consume_back("ArrayAttr")) {
      kind = AttributeKind::DenseArray;
      text = storage == "Bool" ? "i1" : storage.lower();
    }
    if (kind == AttributeKind::Array && def.isSubClassOf("TypedArrayAttrBase"))
      element = kindOf(tblgen::Attribute(def.getValueAsDef("elementAttr")));
  }
  KindKey key{kind, element, enumeration, intern(text), intern(attribute.getSummary())};
  return kinds.try_emplace(key, kinds.size()).first->second;
}

AttributeRow Tables::attribute(const tblgen::NamedAttribute &named) {
  bool optional = named.attr.isOptional() || named.attr.hasDefaultValue();
  return {intern(named.name), kindOf(named.attr), uint8_t(optional ? AttributeRow::Optional : 0)};
}

AttributeRow Tables::property(const tblgen::NamedProperty &named) {
  uint8_t flags = AttributeRow::Property | (named.prop.hasDefaultValue() ? AttributeRow::Optional : 0);
  const Record &def = named.prop.getBaseProperty().getDef();
  uint16_t kind = 0;
  if (def.isSubClassOf("EnumPropWithAttrForm"))
    kind = kindOf(tblgen::Attribute(def.getValueAsDef("attrForm")));
  else if (def.isSubClassOf("EnumProp"))
    kind = kinds
               .try_emplace({AttributeKind::IntegerEnum, 0, enumeration(def.getValueAsDef("enum")), intern(""),
                             intern(def.getValueAsString("summary"))},
                            kinds.size())
               .first->second;
  return {intern(named.name), kind, flags};
}

/// Adds to `entry` what a trait states, if the rows can express it.
void Tables::readTrait(const tblgen::Operator &op, const tblgen::Trait &trait, OpEntry &entry) {
  const Record &def = trait.getDef();
  auto place = [&](StringRef name) -> std::optional<uint8_t> {
    for (int i = 0; i < op.getNumOperands(); ++i)
      if (op.getOperand(i).name == name)
        return i;
    for (int i = 0; i < op.getNumResults(); ++i)
      if (op.getResult(i).name == name)
        return RelationRow::kFirstResult + i;
    return std::nullopt;
  };
  auto relate = [&](RelationRow::Kind kind, StringRef from, StringRef to) {
    if (auto a = place(from), b = place(to); a && b)
      entry.relations.push_back({kind, *a, *b});
  };
  if (def.isSubClassOf("TypesMatchWith")) {
    StringRef how = def.getValueAsString("transformer").trim();
    StringRef from = def.getValueAsString("lhs"), to = def.getValueAsString("rhs");
    if (how == "$_self")
      relate(RelationRow::SameType, from, to);
    else if (how.contains("getElementType") && how.count("$_self") == 1)
      relate(RelationRow::ElementOf, from, to);
    return;
  }
  if (def.isSubClassOf("AllTypesMatch")) {
    std::vector<StringRef> names = def.getValueAsListOfStrings("values");
    for (size_t i = 1; i < names.size(); ++i)
      relate(RelationRow::SameType, names[0], names[i]);
    return;
  }
  if (!def.getValue("trait"))
    return;
  StringRef name = def.getValueAsString("trait");
  entry.flags |= StringSwitch<uint16_t>(name)
                     .Case("AttrSizedOperandSegments", OpRow::SizedOperands)
                     .Case("AttrSizedResultSegments", OpRow::SizedResults)
                     .Case("SameVariadicOperandSize", OpRow::SameSizes)
                     .Case("SameTypeOperands", OpRow::SameOperands)
                     .Case("SameOperandsAndResultType", OpRow::SameOperands | OpRow::SameTypes)
                     .Default(0);
  entry.endsBlocks |= name == "IsTerminator";
  // A trait with parameters: "HasParent<ForOp, IfOp>::Impl".
  auto [base, parameters] = name.split('<');
  if (base == "SingleBlockImplicitTerminator" || base == "HasParent") {
    SmallVector<StringRef> classes;
    parameters.split('>').first.split(classes, ',');
    for (StringRef one : classes)
      if (base == "HasParent")
        entry.parents.push_back(one.trim().str());
      else
        entry.terminator = one.trim().str();
  }
}

void Tables::readOp(const tblgen::Operator &op) {
  auto [at, isNew] = ops.try_emplace(op.getOperationName());
  if (!isNew)
    return;
  OpEntry &entry = at->second;
  entry.className = op.getQualCppClassName();
  entry.summary = intern(op.hasSummary() ? op.getSummary().trim() : "");
  for (const auto &operand : op.getOperands())
    entry.operands.push_back(value(operand));
  for (const auto &result : op.getResults())
    entry.results.push_back(value(result));
  for (const auto &named : op.getAttributes())
    if (!named.attr.isDerivedAttr())
      entry.attributes.push_back(attribute(named));
  for (const auto &named : op.getProperties())
    entry.attributes.push_back(property(named));
  for (const auto &region : op.getRegions())
    entry.regions.push_back(
        {intern(region.name), region.isVariadic(), region.constraint.getDef().isSubClassOf("SizedRegion")});
  for (const auto &successor : op.getSuccessors())
    entry.successors.push_back({intern(successor.name), successor.isVariadic(), false});
  for (const tblgen::Trait &trait : op.getTraits()) {
    readTrait(op, trait, entry);
    if (auto *interface = dyn_cast<tblgen::InterfaceTrait>(&trait))
      if (StringRef(interface->getFullyQualifiedTraitName()).contains("RegionBranchOpInterface::"))
        entry.flags |= OpRow::RegionBranch;
  }
}

/// Resolves the name of an op's C++ class as it appears in the definition of `from`, an op of the same dialect.
std::string Tables::opOfClass(StringRef className, StringRef from) {
  className.consume_front("::");
  auto fits = [&](const auto &op) {
    return StringRef(op.second.className).ends_with(("::" + className).str()) &&
           (className.contains("::") || StringRef(op.first).split('.').first == from.split('.').first);
  };
  auto found = find_if(ops, fits);
  return found == ops.end() ? "" : found->first;
}

/// Finds the implicit terminator of each op: the one that a trait names, else the only terminator without operands
/// whose parent must be this op.
void Tables::findTerminators() {
  std::map<std::string, SmallVector<std::string>> candidates;
  for (auto &[name, entry] : ops) {
    bool bare = all_of(entry.operands, [](const ValueRow &row) { return row.arity != Arity::One; });
    if (!entry.endsBlocks || !bare || !entry.successors.empty())
      continue;
    for (const std::string &parent : entry.parents)
      candidates[opOfClass(parent, name)].push_back(name);
  }
  for (auto &[name, entry] : ops) {
    if (!entry.terminator.empty())
      entry.terminator = opOfClass(entry.terminator, name);
    else if (auto only = candidates.find(name); only != candidates.end() && only->second.size() == 1)
      entry.terminator = only->second.front();
  }
}

void Tables::read(const RecordKeeper &records) {
  attrDefs.clear();
  for (const Record *record : records.getAllDerivedDefinitionsIfDefined("AttrDef"))
    if (isOfDialect(*record))
      attrDefs.try_emplace(record->getValueAsString("storageType"), record);
  for (const Record *record : records.getAllDerivedDefinitions("Op"))
    readOp(tblgen::Operator(record));
}

template <typename Row, typename Write>
void writeArray(raw_ostream &os, StringRef type, StringRef name, const std::vector<Row> &rows, Write write) {
  os << "constexpr " << type << " " << name << "[] = {\n";
  for (const Row &row : rows) {
    os << "{";
    write(row);
    os << "},\n";
  }
  os << "};\n";
}

void Tables::writeRows(raw_ostream &os) {
  findTerminators();
  std::vector<ValueRow> operands, results;
  std::vector<AttributeRow> attributes;
  std::vector<RelationRow> relations;
  std::vector<RegionRow> regions, successors;
  std::vector<uint16_t> parents;
  std::vector<OpRow> rows;
  StringMap<uint16_t> index;
  for (const auto &[name, entry] : ops)
    index.try_emplace(name, index.size());
  auto start = [](const auto &all) {
    if (all.size() > UINT16_MAX)
      PrintFatalError("the rows of the ops no longer fit 16 bits");
    return uint16_t(all.size());
  };
  auto append = [&](auto &all, const auto &more) { all.insert(all.end(), more.begin(), more.end()); };
  auto add = [&](StringRef name, const OpEntry &entry) {
    uint16_t terminator = 0;
    if (!entry.terminator.empty())
      terminator = index[entry.terminator] + 1;
    rows.push_back({intern(name), entry.summary, entry.flags, start(operands), start(results), start(attributes),
                    start(relations), start(regions), start(successors), start(parents), terminator});
    append(operands, entry.operands);
    append(results, entry.results);
    append(attributes, entry.attributes);
    append(relations, entry.relations);
    append(regions, entry.regions);
    append(successors, entry.successors);
    for (const std::string &parent : entry.parents)
      if (auto known = index.find(opOfClass(parent, name)); known != index.end())
        parents.push_back(known->second);
  };
  for (const auto &[name, entry] : ops)
    add(name, entry);
  add("", OpEntry()); // Sentinel: ends the last op's rows.

  os << "// Made by lispier-ods-gen from MLIR's .td files.\n";
  writeArray(os, "OpRow", "kOps", rows, [&](const OpRow &row) {
    os << row.name << "," << row.summary << "," << row.flags << "," << row.operands << "," << row.results << ","
       << row.attributes << "," << row.relations << "," << row.regions << "," << row.successors << "," << row.parents
       << "," << row.terminator;
  });
  auto writeValue = [&](const ValueRow &row) {
    os << row.name << "," << row.type << "," << row.groups << "," << row.constraint << ",Arity(" << int(row.arity)
       << ")";
  };
  writeArray(os, "ValueRow", "kOperands", operands, writeValue);
  writeArray(os, "ValueRow", "kResults", results, writeValue);
  writeArray(os, "AttributeRow", "kAttributes", attributes,
             [&](const AttributeRow &row) { os << row.name << "," << row.kind << "," << int(row.flags); });
  writeArray(os, "RelationRow", "kRelations", relations, [&](const RelationRow &row) {
    os << "RelationRow::Kind(" << int(row.kind) << ")," << int(row.from) << "," << int(row.to);
  });
  auto writeRegion = [&](const RegionRow &row) { os << row.name << "," << row.isVariadic << "," << row.needsBlocks; };
  writeArray(os, "RegionRow", "kRegions", regions, writeRegion);
  writeArray(os, "RegionRow", "kSuccessors", successors, writeRegion);
  auto writeNumbers = [&](StringRef name, const auto &numbers, StringRef type = "uint16_t") {
    os << "constexpr " << type << " " << name << "[] = {";
    for (auto number : numbers)
      os << number << ",";
    os << "};\n";
  };
  writeNumbers("kConstraintTexts", constraintTexts, "Text");
  writeNumbers("kParents", parents);
  std::vector<KindKey> kindRows(kinds.size());
  for (const auto &[key, at] : kinds)
    kindRows[at] = key;
  writeArray(os, "AttributeKindRow", "kKinds", kindRows, [&](const KindKey &row) {
    os << "AttributeKind(" << int(std::get<0>(row)) << ")," << std::get<1>(row) << "," << std::get<2>(row) << ","
       << std::get<3>(row) << "," << std::get<4>(row);
  });
  std::vector<EnumCaseRow> cases;
  std::vector<uint16_t> firstCase;
  for (const auto &rows : enums) {
    firstCase.push_back(start(cases));
    append(cases, rows);
  }
  firstCase.push_back(start(cases));
  writeArray(os, "EnumCaseRow", "kCases", cases,
             [&](const EnumCaseRow &row) { os << row.word << "," << row.value << "u"; });
  writeNumbers("kFirstCase", firstCase);
  os << "constexpr char kTexts[] =\n";
  for (StringRef rest = texts; !rest.empty();) {
    auto [line, after] = rest.split('\0');
    os << "\"";
    os.write_escaped(line) << "\\000\"\n";
    rest = after;
  }
  os << ";\n";
}

void Tables::writeConstraints(raw_ostream &os) {
  os << "// Made by lispier-ods-gen from MLIR's .td files.\n";
  for (const auto &[condition, number] : constraints) {
    // VectorOfShape compares the shape before it asks whether the type has one.
    constexpr StringLiteral shape = "::llvm::cast<::mlir::VectorType>(type).getShape() ==";
    std::string guarded = condition;
    for (size_t at = 0; (at = guarded.find(shape, at)) != std::string::npos;) {
      constexpr StringLiteral guard = "::llvm::isa<::mlir::VectorType>(type) && ";
      guarded.insert(at, guard);
      at += guard.size() + shape.size();
    }
    os << "static bool fits" << number << "(::mlir::Type type) { return " << guarded << "; }\n";
  }
  os << "static constexpr bool (*kConstraints[])(::mlir::Type) = {\n";
  for (size_t number = 0; number < constraints.size(); ++number)
    os << "fits" << number << ",\n";
  os << "};\n";
}

/// Writes the file, unless it holds this text: its timestamp then triggers no compilation. Returns false after an
/// error.
bool writeFile(StringRef path, StringRef text) {
  if (auto old = MemoryBuffer::getFile(path); old && (*old)->getBuffer() == text)
    return true;
  std::error_code failed;
  ToolOutputFile output(path, failed, sys::fs::OF_Text);
  if (failed) {
    errs() << "lispier-ods-gen: " << path << ": " << failed.message() << "\n";
    return false;
  }
  output.os() << text;
  output.keep();
  return true;
}
} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> includes, files;
  for (int i = 3; i < argc; ++i)
    (StringRef(argv[i]) == "-I" ? includes : files).push_back(StringRef(argv[i]) == "-I" ? argv[++i] : argv[i]);
  Tables tables;
  for (const std::string &file : files) {
    SourceMgr sources;
    // Some files include their neighbours without a directory.
    std::vector<std::string> directories = includes;
    directories.push_back(sys::path::parent_path(file).str());
    sources.setIncludeDirs(directories);
    auto text = MemoryBuffer::getFile(file);
    if (!text) {
      errs() << "lispier-ods-gen: " << file << ": " << text.getError().message() << "\n";
      return 1;
    }
    sources.AddNewSourceBuffer(std::move(*text), SMLoc());
    RecordKeeper records;
    if (TableGenParseFile(sources, records))
      return 1;
    tables.read(records);
  }
  std::string rows, constraints;
  raw_string_ostream rowStream(rows), constraintStream(constraints);
  tables.writeRows(rowStream);
  tables.writeConstraints(constraintStream);
  return writeFile(argv[1], rows) && writeFile(argv[2], constraints) ? 0 : 1;
}
