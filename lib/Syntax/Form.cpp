//===- Form.cpp - create and print forms ----------------------------------===//
#include "lispier/Syntax/Form.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lispier {
StringRef describe(FormKind kind) {
  switch (kind) {
  case FormKind::List:
    return "a list";
  case FormKind::Vector:
    return "a vector";
  case FormKind::Map:
    return "a map";
  case FormKind::Symbol:
    return "a symbol";
  case FormKind::Keyword:
    return "a keyword";
  case FormKind::String:
    return "a string";
  case FormKind::Number:
    return "a number";
  case FormKind::Bool:
    return "a boolean";
  case FormKind::Nil:
    return "nil";
  }
  return "";
}

const Form *Form::get(StringRef key) const {
  assert(isMap());
  for (size_t i = 0; i + 1 < children.size(); i += 2)
    if (children[i]->text() == key)
      return children[i + 1];
  return nullptr;
}

bool Form::isOpName() const {
  if (!isSymbol() || content.empty() || StringRef("!@%^#").contains(content.front()))
    return false;
  size_t dot = content.find_first_of(".<");
  return dot != StringRef::npos && content[dot] == '.' && dot != 0 && dot + 1 < content.size() &&
         content[dot + 1] != '.';
}

namespace {
void printString(raw_ostream &os, StringRef text) {
  os << '"';
  for (char c : text) {
    switch (c) {
    case '\n':
      os << "\\n";
      break;
    case '\r':
      os << "\\r";
      break;
    case '\t':
      os << "\\t";
      break;
    case '\0':
      os << "\\0";
      break;
    case '"':
    case '\\':
      os << '\\' << c;
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        os << "\\x" << hexdigit(static_cast<unsigned char>(c) >> 4) << hexdigit(c & 15);
      else
        os << c;
    }
  }
  os << '"';
}

StringRef opener(FormKind kind) { return kind == FormKind::List ? "(" : kind == FormKind::Vector ? "[" : "{"; }
StringRef closer(FormKind kind) { return kind == FormKind::List ? ")" : kind == FormKind::Vector ? "]" : "}"; }
bool isNested(const Form *form) { return form->isList() || form->isVector() || form->isMap(); }
} // namespace

void Form::print(raw_ostream &os) const {
  switch (formKind) {
  case FormKind::List:
  case FormKind::Vector:
  case FormKind::Map:
    os << opener(formKind);
    for (size_t i = 0; i < children.size(); ++i) {
      if (i)
        os << ' ';
      children[i]->print(os);
    }
    os << closer(formKind);
    return;
  case FormKind::Symbol:
  case FormKind::Number:
    os << content;
    return;
  case FormKind::Keyword:
    os << ':' << content;
    return;
  case FormKind::String:
    printString(os, content);
    return;
  case FormKind::Bool:
    os << (truth ? "true" : "false");
    return;
  case FormKind::Nil:
    os << "nil";
    return;
  }
}

void Form::prettyPrint(raw_ostream &os, unsigned indent) const {
  constexpr size_t kLineWidth = 100;
  std::string oneLine = str();
  if (!isNested(this) || oneLine.size() + indent <= kLineWidth) {
    os << oneLine;
    return;
  }
  os << opener(formKind);
  // The first line holds everything before the first list that does not fit; in a map, each key with its value.
  size_t i = 0, column = indent + 1;
  for (; i < children.size() && !isMap() && !(i && children[i]->isList()); ++i) {
    std::string text = children[i]->str();
    if (isNested(children[i]) && column + text.size() > kLineWidth)
      break;
    os << (i ? " " : "") << text;
    column += text.size() + 1;
  }
  unsigned inner = indent + (isList() ? 2 : 1);
  for (bool first = i == 0; i < children.size(); ++i, first = false) {
    if (isMap() && i % 2 == 1)
      os << ' ';
    else if (!first)
      os << '\n', os.indent(inner);
    children[i]->prettyPrint(os, inner);
  }
  os << closer(formKind);
}

std::string Form::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

bool equal(const Form *a, const Form *b) {
  if (a->kind() != b->kind() || a->size() != b->size())
    return false;
  if (a->isBool())
    return a->boolean() == b->boolean();
  if (a->text() != b->text())
    return false;
  for (size_t i = 0; i < a->size(); ++i)
    if (!equal((*a)[i], (*b)[i]))
      return false;
  return true;
}

StringRef FormArena::save(StringRef text) {
  if (text.empty())
    return "";
  char *copy = allocator.Allocate<char>(text.size());
  std::copy(text.begin(), text.end(), copy);
  return {copy, text.size()};
}

const Expansion *FormArena::expansion(StringRef macro, SMRange call, const Expansion *parent, bool ofLanguage) {
  return new (allocator.Allocate<Expansion>()) Expansion{save(macro), call, parent, ofLanguage};
}

Form *FormArena::make(FormKind kind, SMRange range, const Expansion *by) {
  Form *form = new (allocator.Allocate<Form>()) Form();
  form->formKind = kind;
  form->sourceRange = range;
  form->madeBy = by;
  return form;
}

Form *FormArena::makeNested(FormKind kind, ArrayRef<const Form *> items, SMRange range, const Expansion *by) {
  Form *form = make(kind, range, by);
  form->children = items.copy(allocator);
  for (const Form *item : items)
    form->nesting = std::max(form->nesting, item->nesting);
  ++form->nesting;
  return form;
}

const Form *FormArena::list(ArrayRef<const Form *> items, SMRange range, const Expansion *by) {
  return makeNested(FormKind::List, items, range, by);
}

const Form *FormArena::vector(ArrayRef<const Form *> items, SMRange range, const Expansion *by) {
  return makeNested(FormKind::Vector, items, range, by);
}

const Form *FormArena::map(ArrayRef<const Form *> items, SMRange range, const Expansion *by) {
  assert(items.size() % 2 == 0);
  return makeNested(FormKind::Map, items, range, by);
}

const Form *FormArena::symbol(StringRef text, SMRange range, const Expansion *by) {
  Form *form = make(FormKind::Symbol, range, by);
  form->content = save(text);
  return form;
}

const Form *FormArena::keyword(StringRef text, SMRange range, const Expansion *by) {
  Form *form = make(FormKind::Keyword, range, by);
  form->content = save(text);
  return form;
}

const Form *FormArena::string(StringRef text, SMRange range, const Expansion *by) {
  Form *form = make(FormKind::String, range, by);
  form->content = save(text);
  return form;
}

const Form *FormArena::number(StringRef text, SMRange range, const Expansion *by) {
  Form *form = make(FormKind::Number, range, by);
  form->content = save(text);
  return form;
}

const Form *FormArena::boolean(bool value, SMRange range, const Expansion *by) {
  Form *form = make(FormKind::Bool, range, by);
  form->truth = value;
  return form;
}

const Form *FormArena::nil(SMRange range, const Expansion *by) { return make(FormKind::Nil, range, by); }
} // namespace lispier
