//===- PrintLisp.cpp - an MLIR module to core forms -----------------------===//
//
// As in Operations.cpp all ops take one path: a form holds the same parts as MLIR's
// generic assembly. Attributes need care: Attributes.cpp tries several candidates,
// so each is printed in a spelling that is read back as exactly this attribute.
//
//===----------------------------------------------------------------------===//
#include "lispier/IRGen/PrintLisp.h"
#include "Core/OpTraits.h"
#include "lispier/IRGen/IRGen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace lispier {
namespace {
using Forms = SmallVector<const Form *>;

/// Whether the reader takes all of `text` as one symbol that denotes a type or an attribute: a word, then optionally
/// `<...>`.
bool isOneToken(StringRef text) {
  StringRef head = text.take_until([](char c) { return c == '<'; });
  StringRef word = head;
  word.consume_front("!");
  if (word.empty() || !isAlpha(word[0]) || !all_of(word, [](char c) { return isAlnum(c) || c == '_' || c == '.'; }))
    return false;
  unsigned depth = 0;
  for (size_t i = head.size(); i < text.size(); ++i) {
    char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == ';' || (depth == 0 && i > head.size()))
      return false;
    if (text[i] == '<')
      ++depth;
    else if (text[i] == '>' && text[i - 1] != '-' && next != '=')
      --depth;
  }
  return depth == 0;
}

/// Whether `:text` is a keyword.
bool isKeyword(StringRef text) {
  return !text.empty() && (isAlpha(text[0]) || text[0] == '_') &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '-'; });
}

/// Whether a quoted `text` would be read as something else than a string attribute.
bool hasOtherReading(StringRef text) {
  return text.starts_with("@") || text.starts_with("#") || text.starts_with("array<") || text.starts_with("dense<") ||
         text.starts_with("dense_resource<") || text.starts_with("sparse<");
}

class LispPrinter {
public:
  LispPrinter(FormArena &arena, DiagSink &diags) : arena(arena), diags(diags) {}
  std::vector<const Form *> run(mlir::ModuleOp module);

private:
  // Builders of forms.
  const Form *symbol(const Twine &text) { return arena.symbol(text.str(), {}); }
  const Form *string(const Twine &text) { return arena.string(text.str(), {}); }
  const Form *typed(const Form *value, const Form *type) { return arena.list({symbol(":"), value, type}, {}); }
  const Form *name(mlir::Value value);

  const Form *type(mlir::Type type, bool mayQuote = true);
  const Form *functionType(mlir::FunctionType type);
  const Form *attribute(mlir::Attribute attribute);
  const Form *integer(mlir::IntegerAttr attribute);
  const Form *real(mlir::FloatAttr attribute);
  const Form *text(mlir::StringAttr attribute);
  const Form *reference(mlir::SymbolRefAttr attribute);
  void entries(mlir::DictionaryAttr values, Forms &out);

  const Form *statement(mlir::Operation &op);
  const Form *attributeMap(mlir::Operation &op);
  void operands(mlir::Operation &op, Forms &out);
  const Form *region(mlir::Region &region);
  const Form *block(mlir::Block &block, bool hasLabel);

  void cannot(const Twine &what) {
    diags.error("print-lisp", sourceRange(current->getLoc(), diags.sourceMgr()),
                "`" + current->getName().getStringRef() + "`: " + what + " cannot be written as Lisp");
  }

  FormArena &arena;
  DiagSink &diags;
  mlir::Operation *current = nullptr; ///< The op that is converted, for messages.
  DenseMap<mlir::Value, const Form *> names;
  DenseMap<mlir::Block *, const Form *> labels;
  unsigned labelCount = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

const Form *LispPrinter::functionType(mlir::FunctionType function) {
  auto vector = [&](mlir::TypeRange types) {
    Forms items;
    for (mlir::Type item : types)
      items.push_back(type(item));
    return arena.vector(items, {});
  };
  return arena.list({symbol("->"), vector(function.getInputs()), vector(function.getResults())}, {});
}

/// Prints a type, in quotes if it is not one token; among attributes a quoted type would be read as a string.
const Form *LispPrinter::type(mlir::Type type, bool mayQuote) {
  std::string text = mlir::debugString(type);
  if (isOneToken(text))
    return symbol(text);
  if (auto function = dyn_cast<mlir::FunctionType>(type))
    return functionType(function);
  if (!mayQuote)
    cannot("the type " + text);
  return string(text);
}

const Form *LispPrinter::integer(mlir::IntegerAttr attribute) {
  if (attribute.getType().isSignlessInteger(1))
    return arena.boolean(attribute.getValue().isOne(), {});
  SmallString<24> digits;
  attribute.getValue().toString(digits, 10, /*Signed=*/!attribute.getType().isUnsignedInteger());
  return typed(arena.number(digits, {}), type(attribute.getType()));
}

/// Prints a decimal that is read back as the same number.
const Form *LispPrinter::real(mlir::FloatAttr attribute) {
  APFloat value = attribute.getValue();
  SmallString<24> digits;
  if (value.isInfinity())
    digits = value.isNegative() ? "-inf" : "+inf";
  else if (value.isNaN())
    digits = "nan";
  else if (value.isZero())
    digits = value.isNegative() ? "-0.0" : "0.0"; // -0 would be read as the integer zero.
  else
    value.toString(digits);
  if (value.isNaN() && !value.bitwiseIsEqual(APFloat::getNaN(value.getSemantics())))
    cannot("the payload of a NaN");
  return typed(value.isFinite() ? arena.number(digits, {}) : symbol(digits), type(attribute.getType()));
}

const Form *LispPrinter::text(mlir::StringAttr attribute) {
  const Form *form = string(attribute.getValue());
  bool isPlain = isa<mlir::NoneType>(attribute.getType());
  if (!isPlain && hasOtherReading(attribute.getValue()))
    cannot("the text " + mlir::debugString(attribute));
  return isPlain && !hasOtherReading(attribute.getValue()) ? form : typed(form, type(attribute.getType()));
}

const Form *LispPrinter::reference(mlir::SymbolRefAttr attribute) {
  StringRef root = attribute.getRootReference().getValue();
  bool isPlain = attribute.getNestedReferences().empty() && !root.contains("::") && !root.contains('"');
  return string(isPlain ? ("@" + root).str() : mlir::debugString(attribute));
}

void LispPrinter::entries(mlir::DictionaryAttr values, Forms &out) {
  for (mlir::NamedAttribute entry : values) {
    StringRef key = entry.getName();
    if (!isKeyword(key))
      cannot("the attribute name \"" + key + "\"");
    out.append({arena.keyword(key, {}), attribute(entry.getValue())});
  }
}

const Form *LispPrinter::attribute(mlir::Attribute value) {
  if (isa<mlir::UnitAttr>(value))
    return arena.nil({});
  if (auto number = dyn_cast<mlir::IntegerAttr>(value))
    return integer(number);
  if (auto number = dyn_cast<mlir::FloatAttr>(value))
    return real(number);
  if (auto string = dyn_cast<mlir::StringAttr>(value))
    return text(string);
  if (auto symbol = dyn_cast<mlir::SymbolRefAttr>(value))
    return reference(symbol);
  if (auto of = dyn_cast<mlir::TypeAttr>(value))
    return type(of.getValue(), /*mayQuote=*/false);
  if (auto array = dyn_cast<mlir::ArrayAttr>(value)) {
    Forms items;
    for (mlir::Attribute item : array)
      items.push_back(attribute(item));
    return arena.vector(items, {});
  }
  if (auto dictionary = dyn_cast<mlir::DictionaryAttr>(value)) {
    Forms items;
    entries(dictionary, items);
    return arena.map(items, {});
  }
  std::string text = mlir::debugString(value);
  if (hasOtherReading(text) && !isa<mlir::DenseResourceElementsAttr>(value))
    return string(text);
  if (!isa<mlir::AffineMapAttr, mlir::IntegerSetAttr>(value) || !isOneToken(text))
    cannot("the attribute " + text);
  return symbol(text);
}

//===----------------------------------------------------------------------===//
// Ops, regions, blocks
//===----------------------------------------------------------------------===//

const Form *LispPrinter::name(mlir::Value value) {
  if (const Form *known = names.lookup(value))
    return known;
  cannot("the use of a value above its definition");
  return symbol("_");
}

/// Builds the map of a form: inherent and discardable attributes, and the result types.
const Form *LispPrinter::attributeMap(mlir::Operation &op) {
  Forms items;
  mlir::Attribute inherent = op.getPropertiesAsAttribute();
  if (auto dictionary = dyn_cast_if_present<mlir::DictionaryAttr>(inherent))
    entries(dictionary, items);
  else if (inherent)
    cannot("properties that are no dictionary");
  entries(op.getDiscardableAttrDictionary(), items);
  for (size_t i = 0; i < items.size(); i += 2)
    if (is_contained({"result", "successors", "ins", "outs"}, items[i]->text()))
      cannot("the attribute name \"" + items[i]->text() + "\"");
  // IRGen gives declarations that take memrefs the C interface; `false` prevents that.
  if (auto function = dyn_cast<mlir::func::FuncOp>(op); function && function.isExternal() &&
                                                        !op.getParentOp()->getParentOp() &&
                                                        !op.hasAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName()))
    items.append({arena.keyword(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), {}), arena.boolean(false, {})});
  if (resultCount(*op.getRegisteredInfo()) != 0u) {
    Forms types;
    for (mlir::Type result : op.getResultTypes())
      types.push_back(type(result));
    items.append({arena.keyword("result", {}), types.size() == 1 ? types[0] : arena.vector(types, {})});
  }
  return items.empty() ? nullptr : arena.map(items, {});
}

/// Prints operands and, before the operands of each successor, its label.
void LispPrinter::operands(mlir::Operation &op, Forms &out) {
  unsigned own = op.getNumOperands();
  auto branch = dyn_cast<mlir::BranchOpInterface>(op);
  SmallVector<unsigned> forwarded;
  for (unsigned i = 0; i < op.getNumSuccessors(); ++i) {
    forwarded.push_back(branch ? branch.getSuccessorOperands(i).getForwardedOperands().size() : 0);
    own -= forwarded.back();
  }
  mlir::OperandRange rest = op.getOperands();
  auto take = [&](unsigned count) {
    for (mlir::Value operand : rest.take_front(count))
      out.push_back(name(operand));
    rest = rest.drop_front(count);
  };
  take(own);
  for (auto [successor, count] : zip(op.getSuccessors(), forwarded)) {
    out.push_back(labels.lookup(successor));
    take(count);
  }
}

const Form *LispPrinter::statement(mlir::Operation &op) {
  mlir::Operation *outer = std::exchange(current, &op);
  auto restore = llvm::make_scope_exit([&] { current = outer; });
  if (!op.isRegistered()) {
    cannot("an op that no dialect knows");
    return arena.nil({});
  }
  Forms items{symbol(op.getName().getStringRef())};
  if (const Form *map = attributeMap(op))
    items.push_back(map);
  operands(op, items);
  for (mlir::Region &inner : op.getRegions())
    items.push_back(region(inner));
  const Form *form = arena.list(items, {});
  if (op.getNumResults() == 0)
    return form;
  Forms bound;
  for (mlir::Value result : op.getResults()) {
    bound.push_back(symbol("v" + Twine(names.size())));
    names[result] = bound.back();
  }
  return arena.list({symbol("def"), bound.size() == 1 ? bound[0] : arena.vector(bound, {}), form}, {});
}

const Form *LispPrinter::region(mlir::Region &region) {
  Forms items{symbol("region")};
  bool hasLabels = !region.empty() && !region.hasOneBlock();
  for (mlir::Block &block : region)
    labels[&block] = symbol("^b" + Twine(labelCount++));
  for (mlir::Block &inner : region)
    items.push_back(block(inner, hasLabels));
  return arena.list(items, {});
}

const Form *LispPrinter::block(mlir::Block &block, bool hasLabel) {
  Forms items{symbol("block")}, arguments;
  if (hasLabel)
    items.push_back(labels.lookup(&block));
  for (mlir::BlockArgument argument : block.getArguments()) {
    names[argument] = symbol("v" + Twine(names.size()));
    arguments.push_back(typed(names[argument], type(argument.getType())));
  }
  items.push_back(arena.vector(arguments, {}));
  for (mlir::Operation &op : block)
    items.push_back(statement(op));
  return arena.list(items, {});
}

std::vector<const Form *> LispPrinter::run(mlir::ModuleOp module) {
  current = module;
  std::set<std::string> dialects;
  module.getBody()->walk([&](mlir::Operation *op) { dialects.insert(op->getName().getDialectNamespace().str()); });
  std::vector<const Form *> forms;
  Forms required{symbol("require-dialect")};
  for (const std::string &dialect : dialects)
    required.push_back(symbol(dialect));
  if (required.size() > 1)
    forms.push_back(arena.list(required, {}));
  Forms attributes;
  entries(module->getAttrDictionary(), attributes);
  if (!attributes.empty())
    forms.push_back(arena.list({symbol("module"), arena.map(attributes, {})}, {}));
  for (mlir::Operation &op : *module.getBody())
    forms.push_back(statement(op));
  return forms;
}

std::vector<const Form *> lispForms(mlir::ModuleOp module, FormArena &arena, DiagSink &diags) {
  return LispPrinter(arena, diags).run(module);
}
} // namespace lispier
