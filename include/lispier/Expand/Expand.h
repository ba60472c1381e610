//===- Expand.h - forms to core forms --------------------------*- C++ -*-===//
//
// Loads required files, expands macros and checks the shape of special forms.
// What comes out is made of Core rows of SpecialForms.def, of ops
// (`dialect.op`) and of calls `(name x ...)` only; which function or op of a
// used dialect a bare head means is decided by IRGen, which knows the types.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_EXPAND_EXPAND_H
#define LISPIER_EXPAND_EXPAND_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include "lispier/Syntax/Reader.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace lispier {
/// Compiles and runs `(defmacro name)` functions; Session implements it with the JIT.
class MacroHost {
public:
  virtual ~MacroHost() = default;
  /// `program`: the core forms seen so far, among them the function `name`. False: what is wrong in
  /// the program has been reported, any other reason is in `why`.
  virtual bool define(llvm::StringRef name, llvm::ArrayRef<const Form *> program, DiagSink &diags,
                      std::string &why) = 0;
  /// Runs it on a list of unexpanded arguments. Null: the reason is in `why`.
  virtual const Form *call(llvm::StringRef name, const Form *arguments, FormArena &arena, const Expansion *by,
                           std::string &why) = 0;
};

/// Where files come from; the tests bring their own.
class FileLoader {
public:
  virtual ~FileLoader() = default;
  /// The contents, or null with the reason in `why`.
  virtual std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) = 0;
  /// Is there such a file or directory? Finds the root of a project.
  virtual bool exists(llvm::StringRef path);
  /// One spelling for all paths of one file.
  virtual std::string canonical(llvm::StringRef path);
};

struct ExpandContext {
  FormArena &arena;
  DiagSink &diags;
  FileLoader &files;
  const DialectNames *dialects = nullptr; ///< Null: every name is a dialect.
  MacroHost *macros = nullptr;            ///< Null: compiled macros are an error.
  /// False: `require` and `require-macros` load nothing (show-expanded).
  bool followRequires = true;
  /// What is no definition becomes the body of a function `main` (eval).
  bool evaluate = false;
};

/// Core forms of all files, a required file's before those of the file that requires it.
struct Program {
  std::vector<const Form *> forms;
  unsigned buffer = 0; ///< Of the file that was asked for, where messages stand that no form is the place of. 0: none.
};

/// Expands the file in buffer `bufferId` and all it requires. Errors go to the sink.
Program expand(unsigned bufferId, ExpandContext &context);

/// The macros of lib/Prelude are loaded first, from text embedded in the library.
struct PreludeFile {
  llvm::StringRef name, text;
};
llvm::ArrayRef<PreludeFile> preludeMacroFiles();
} // namespace lispier
#endif
