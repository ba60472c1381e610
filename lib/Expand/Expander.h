//===- Expander.h - one program's expansion --------------------*- C++ -*-===//
//
// A head is resolved in this order: macro of the file, function of the file (for
// names that are not reserved; for a form that `yields()` also one of another file),
// special form, macro of the language. Anything else is an op or a call, which IRGen
// resolves.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_EXPAND_EXPANDER_H
#define LISPIER_LIB_EXPAND_EXPANDER_H

#include "MacroTime.h"
#include "Modules.h"
#include "lispier/Expand/Expand.h"
#include "lispier/Expand/SpecialForms.h"
#include "lispier/Expand/TemplateLibrary.h"
#include "llvm/ADT/StringSet.h"

namespace lispier {
class Expander {
public:
  explicit Expander(ExpandContext &context);
  /// Implements `expand` (Expand.h); called once.
  Program run(unsigned bufferId);

  /// Expands files but leaves the bodies of `deftemplate` forms to expandTemplates; returns these forms.
  std::vector<const Form *> runDeferred(unsigned bufferId);
  /// Implements TemplateLibrary::expand, after runDeferred.
  Program expandTemplates(llvm::ArrayRef<const Form *> chosen, const MacroMachine &machine);

private:
  using Forms = llvm::ArrayRef<const Form *>;
  struct Struct {
    const Form *definition;
    llvm::SmallVector<llvm::StringRef> fields;
  };

  // Whole files and their top level.
  void loadPrelude();
  std::vector<const Form *> expandLibrary();
  /// Defines a function for each instance of a generic one that the program exports.
  void addExportedInstances(Program &program);
  void expandFiles(unsigned bufferId);
  const Form *expandTemplateBody(const Form *form);
  void expandFile(SourceFile &target);
  void evaluate(SourceFile &source);
  bool isEvaluated() const { return evaluated && file == evaluated; }
  void expandTop(const Form *form);
  void expandTopForms(Forms forms);
  void expandModule(const Form *form);
  void emitStatements();
  void emitTop(const Form *core);
  void survey(Forms forms);
  void surveyForm(const Form *form);
  void declareSymbol(llvm::StringRef name, const Form *form);
  void importMacros(const Form *form);
  void importFile(const Form *path);
  void defineMacro(const Form *form);
  void defineCompiled(const Form *form);
  void defineStruct(const Form *form);

  // Macros.
  const Macro *findMacro(const Form *head, llvm::StringRef name) const;
  const Form *expandMacro(const Macro &macro, const Form *call);
  const Form *callCompiled(const Macro &macro, const Form *call, const Expansion *by);
  void reportDepth(const Macro &macro, const Form *call);
  void reportArity(const Macro &macro, const Form *call);

  // Forms inside functions. Each returns the core form; after an error, one that causes no further errors.
  const Form *expandForm(const Form *form);
  const Form *expandList(const Form *form);
  const Form *expandHead(const Form *form, const Form *head);
  const Form *expandSpecial(const SpecialFormInfo &info, const Form *form);
  const Form *expandFields(const Form *map);
  const Form *sourcePath(const Form *form);
  const Form *expandDefn(const Form *form);
  const Form *exportedInstance(const Form *item, Program &program, std::vector<const Form *> &functions);
  const Form *expandDeftile(const Form *form);
  const Form *expandLaunchMap(const Form *map);
  const Form *expandTemplate(const Form *form, unsigned depth);
  const Form *expandItems(const Form *form, size_t first, bool isBody);
  void expandStatement(const Form *form, llvm::SmallVectorImpl<const Form *> &out);
  const Form *callFunction(const Form *form, llvm::StringRef name);
  const Form *structAccess(const Form *form, llvm::StringRef name);
  void checkNew(const Form *form);
  const Form *resolveAlias(const Form *symbol);
  const Form *resolveAliases(const Form *form);
  void checkMember(const Form *symbol);
  bool yields(const SpecialFormInfo &info, const Form *head) const;
  const Form *replaceHead(const Form *form, llvm::StringRef name);
  const Form *with(const Form *form, Forms items);
  Diag &error(llvm::StringRef code, const Form *at, const llvm::Twine &message);

  ExpandContext &context;
  FormArena &arena;
  DiagSink &diags;
  Modules modules;
  MacroInterpreter interpreter;
  llvm::StringMap<Macro> preludeMacros;
  llvm::StringMap<Struct> structs;
  llvm::StringMap<bool> functionIsVariadic;                           ///< All functions of the program so far.
  llvm::StringMap<std::pair<llvm::SMRange, std::string>> definitions; ///< Each symbol's range and file.
  SourceFile *file = nullptr;
  SourceFile *evaluated = nullptr;      ///< The file whose non-definitions become the body of `main`.
  std::vector<const Form *> expression; ///< The non-definitions of `evaluated`.
  bool inModule = false;
  llvm::StringMap<llvm::StringRef> docs;      ///< As in Program.
  bool isInLibrary = false;                   ///< What is expanded is the library of tensors.
  llvm::SmallVector<const Form *> statements; ///< Ops of a `module` form since the last definition.
  unsigned depth = 0;
  size_t work = 0;
  bool defersTemplates = false;
  bool stopped = false; ///< A macro exceeded its limits: suppress further messages.
};
} // namespace lispier
#endif
