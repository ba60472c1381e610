//===- Expand.h - forms to core forms --------------------------*- C++ -*-===//
//
// Loads required files, expands macros and checks the syntax of special forms.
// The lists of code in the core forms that result are special forms with stage Core
// in SpecialForms.def, ops (`dialect.op`), calls `(name x ...)` and fields
// `(:field record)`. IRGen decides whether a head without a dialect is a function or
// an op of a dialect that `use-dialect` names.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_EXPAND_EXPAND_H
#define LISPIER_EXPAND_EXPAND_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include "lispier/Syntax/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lispier {
/// Compiles and runs macros that are functions of the program, `(defmacro name)`; Session implements it with the JIT.
class MacroHost {
public:
  virtual ~MacroHost() = default;
  /// Compiles the function `name` of `program`, the core forms expanded so far. On failure returns false: errors of the
  /// program have been reported to `diags`, any other reason is in `why`.
  virtual bool define(llvm::StringRef name, llvm::ArrayRef<const Form *> program, DiagSink &diags,
                      std::string &why) = 0;
  /// Calls `name` with a list of unexpanded arguments and returns the expansion, allocated in `arena` and attributed to
  /// `by`. On failure returns null with the reason in `why`.
  virtual const Form *call(llvm::StringRef name, const Form *arguments, FormArena &arena, const Expansion *by,
                           std::string &why) = 0;
};

/// Access to source files, and to the run that a program is compiled for; tests and embedded libraries implement their
/// own. By default `exists` and `canonical` ask the file system, and there is no such run.
class FileLoader {
public:
  virtual ~FileLoader() = default;
  /// Returns the contents of the file, or null with the reason in `why`.
  virtual std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) = 0;
  /// Whether there is such a file or directory. Used to find the root folder of a project.
  virtual bool exists(llvm::StringRef path);
  /// Returns one spelling for all paths of the same file.
  virtual std::string canonical(llvm::StringRef path);
  /// Returns the word after `name` in the program's arguments, the last one if there are several, where all options but
  /// `flags` have a value. Nothing if there is none, or the program is not compiled for certain arguments.
  virtual std::optional<std::string> option(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> flags);
};

struct ExpandContext {
  FormArena &arena;
  DiagSink &diags;
  FileLoader &files;
  const DialectNames *dialects = nullptr; ///< Null: every name is a dialect.
  MacroHost *macros = nullptr;            ///< Null: compiled macros are an error.
  /// False: `require` and `require-macros` load nothing (show-expanded).
  bool followRequires = true;
  /// Makes all forms that are not definitions the body of a function `main` (eval).
  bool evaluate = false;
  /// `export` forms that take the place of the program's.
  std::vector<const Form *> exports = {};
};

/// The core forms of all files; those of a required file come before those of the file that requires it.
struct Program {
  std::vector<const Form *> forms;
  /// The functions of lib/Prelude/tensor; functions of the program with the same name take precedence.
  std::vector<const Form *> library;
  bool evaluates = false; ///< `main` shows the value of its last form: it prints tensors and returns a number.
  llvm::StringMap<llvm::StringRef> docs; ///< The documentation strings of functions, which the forms do not have.
  unsigned buffer = 0;                   ///< The main file, for messages that concern no particular form; 0: none.
};

/// Expands the file in buffer `bufferId` and all files that it requires. Reports errors to `context.diags` and goes on.
Program expand(unsigned bufferId, ExpandContext &context);

/// A file of the macro library (lib/Prelude) or the kernel library (lib/Kernels), embedded in the binary.
struct PreludeFile {
  llvm::StringRef name, text;
};
/// The macro library, which every program loads first.
llvm::ArrayRef<PreludeFile> preludeMacroFiles();
/// The library of tensors: functions only.
llvm::ArrayRef<PreludeFile> preludeTensorFiles();
} // namespace lispier
#endif
