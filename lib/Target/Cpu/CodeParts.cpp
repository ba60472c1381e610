//===- CodeParts.cpp - parts of a program, compiled in parallel -----------===//
//
// Kernels, which are called with pointers and sizes, and other large functions gain
// nothing from being inlined, so that each can be compiled apart: for an executable by
// several threads, in a process when it is called. A part reads the program's bitcode
// into a context of its own and keeps what it owns. Of what another part owns, it keeps
// small functions and constants as copies for the optimiser, and declares the rest.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/CodeParts.h"
#include "lispier/Runtime/Core/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace lispier {
namespace {
/// A part of fewer instructions takes less time than reading the program once more is worth.
constexpr unsigned kInstructionsPerPart = 3000;
constexpr unsigned kMostParts = 16;
/// What parts may have copies of: functions that the optimiser may inline, and tables that it may fold. Larger
/// functions also take so long to compile that doing it on their first call saves time.
constexpr unsigned kSmallFunction = 250;
constexpr uint64_t kSmallTable = 4096;

/// Adds the globals that a constant refers to.
void addReferences(const Constant *constant, SmallPtrSetImpl<const Constant *> &seen,
                   SetVector<const GlobalValue *> &found) {
  if (!seen.insert(constant).second)
    return;
  if (auto *global = dyn_cast<GlobalValue>(constant)) {
    found.insert(global);
    return;
  }
  for (const Use &operand : constant->operands())
    if (auto *used = dyn_cast<Constant>(operand))
      addReferences(used, seen, found);
}

SetVector<const GlobalValue *> referencesOf(const GlobalValue &global) {
  SetVector<const GlobalValue *> found;
  SmallPtrSet<const Constant *, 32> seen;
  auto addOperands = [&](const User &user) {
    for (const Use &operand : user.operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        addReferences(constant, seen, found);
  };
  addOperands(cast<User>(global)); // An initialiser, an aliasee.
  if (auto *function = dyn_cast<Function>(&global))
    for (const Instruction &instruction : instructions(*function))
      addOperands(instruction);
  return found;
}

/// The functions of a program that are not in its first part, each with its part.
struct Apart {
  DenseMap<const Function *, unsigned> partOf;
  unsigned parts = 1; ///< With the first.
};

/// Which parts need a definition, and which of these owns it.
class Partition {
public:
  Partition(const Module &module, const Apart &apart);

  unsigned size() const { return apart.parts; }
  unsigned ownerOf(const GlobalValue &global) const {
    const SmallBitVector &parts = needs.at(&global);
    return parts.count() == 1 ? parts.find_first() : 0;
  }
  bool isShared(const GlobalValue &global) const { return shared.contains(&global); }
  /// Whether a part that does not own a definition may have a copy, since it has all that the definition refers to.
  bool isCopied(const GlobalValue &global, unsigned part) const { return needs.at(&global).test(part); }

private:
  void spread(const GlobalValue &global);

  const Apart &apart;
  DenseMap<const GlobalValue *, SmallBitVector> needs; ///< Of definitions. A function apart: its own part.
  DenseSet<const GlobalValue *> shared;                ///< Used by a part that does not own it.
};

Partition::Partition(const Module &module, const Apart &apart) : apart(apart) {
  SmallVector<const GlobalValue *> roots;
  for (const GlobalValue &global : module.global_values()) {
    if (global.isDeclaration())
      continue;
    SmallBitVector &parts = needs.try_emplace(&global, apart.parts).first->second;
    if (auto *function = dyn_cast<Function>(&global); function && apart.partOf.contains(function))
      parts.set(apart.partOf.lookup(function));
    else if (!global.hasLocalLinkage())
      parts.set(0);
    if (parts.any())
      roots.push_back(&global);
  }
  for (const GlobalValue *root : roots)
    spread(*root);
}

/// Gives what a definition refers to the parts of the definition.
void Partition::spread(const GlobalValue &global) {
  SmallBitVector parts = needs.at(&global);
  for (const GlobalValue *used : referencesOf(global)) {
    if (used->isDeclaration())
      continue;
    SmallBitVector &own = needs.at(used);
    if (!parts.test(own)) // No part is new.
      continue;
    if (auto *function = dyn_cast<Function>(used); function && apart.partOf.contains(function)) {
      shared.insert(used);
      continue;
    }
    own |= parts;
    if (own.count() > 1)
      shared.insert(used);
    spread(*used);
  }
}

/// Makes a symbol visible to the program's other objects, under a name that no library has.
void share(GlobalValue &global, GlobalValue::VisibilityTypes visibility) {
  if (!global.hasLocalLinkage())
    return;
  global.setName(kSharedPrefix + global.getName());
  global.setLinkage(GlobalValue::ExternalLinkage);
  global.setVisibility(visibility);
  // A process may load the objects, and make the stubs between them, farther apart than 2 GB.
  global.setDSOLocal(visibility == GlobalValue::HiddenVisibility);
}

/// What a part does with a definition of the program.
enum class Role { Own, Copy, Declare };

bool isSmall(const GlobalValue &global) {
  if (auto *function = dyn_cast<Function>(&global))
    return function->getInstructionCount() <= kSmallFunction;
  auto *variable = dyn_cast<GlobalVariable>(&global);
  return variable && variable->isConstant() &&
         variable->getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue() <= kSmallTable;
}

/// The roles of all definitions in one part, by name.
StringMap<Role> rolesIn(unsigned part, const Module &module, const Partition &partition) {
  StringMap<Role> roles;
  for (const GlobalValue &global : module.global_values())
    if (!global.isDeclaration())
      roles[global.getName()] = partition.ownerOf(global) == part                     ? Role::Own
                                : partition.isCopied(global, part) && isSmall(global) ? Role::Copy
                                                                                      : Role::Declare;
  return roles;
}

/// Removes from a module, of which no function has been read yet, what the part does not own.
void reduce(Module &module, const StringMap<Role> &roles) {
  for (Function &function : module) {
    auto role = roles.find(function.getName());
    if (role == roles.end() || role->second == Role::Own)
      continue;
    if (role->second == Role::Declare)
      function.deleteBody();
    else
      function.setLinkage(GlobalValue::AvailableExternallyLinkage);
  }
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    auto role = roles.find(variable.getName());
    if (role == roles.end() || role->second == Role::Own)
      continue;
    if (variable.hasAppendingLinkage()) { // Such as llvm.global_ctors, which the first part has.
      variable.eraseFromParent();
    } else if (role->second == Role::Declare) {
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
    } else {
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    }
  }
}

/// A program's bitcode, and which part has what of it.
struct DividedProgram {
  SmallVector<char, 0> bitcode;
  std::vector<StringMap<Role>> roles; ///< Of each part.
};

DividedProgram divide(Module &module, const Apart &apart, GlobalValue::VisibilityTypes visibility) {
  Partition partition(module, apart);
  for (GlobalValue &global : module.global_values())
    if (partition.isShared(global))
      share(global, visibility);
  DividedProgram program;
  raw_svector_ostream os(program.bitcode);
  WriteBitcodeToFile(module, os);
  for (unsigned part = 0; part < apart.parts; ++part)
    program.roles.push_back(rolesIn(part, module, partition));
  return program;
}

Expected<std::unique_ptr<Module>> readPart(const DividedProgram &program, unsigned part, LLVMContext &context) {
  MemoryBufferRef bitcode(StringRef(program.bitcode.data(), program.bitcode.size()), "lispier");
  Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(bitcode, context);
  if (!module)
    return module;
  reduce(**module, program.roles[part]);
  if (Error error = (*module)->materializeAll())
    return error;
  return module;
}

/// Calls `work` with the number of each part, on several threads.
Error forEachPart(unsigned parts, function_ref<Error(unsigned)> work) {
  std::vector<std::optional<Error>> errors(parts);
  ThreadPoolStrategy strategy = hardware_concurrency(parts);
  strategy.Limit = true; // To as many as the machine has: with more, parts displace each other from the caches.
  DefaultThreadPool threads(strategy);
  for (unsigned part = 0; part < parts; ++part)
    threads.async([&, part] { errors[part] = work(part); });
  threads.wait();
  Error failure = Error::success();
  for (std::optional<Error> &error : errors)
    failure = joinErrors(std::move(failure), std::move(*error));
  return failure;
}

/// Gives each kernel and each large function to a part, the largest first, so that parts become nearly equal.
Apart divideFunctions(const Module &module) {
  SmallVector<std::pair<unsigned, const Function *>> large;
  unsigned total = 0, rest = 0;
  for (const Function &function : module) {
    unsigned size = function.getInstructionCount();
    total += size;
    if (function.hasLocalLinkage() && (isTuned(function) || size > kSmallFunction))
      large.push_back({size, &function});
    else
      rest += size;
  }
  Apart apart;
  apart.parts = std::clamp(total / kInstructionsPerPart, 1u, kMostParts);
  stable_sort(large, [](auto &a, auto &b) { return a.first > b.first; });
  SmallVector<unsigned> sizes(apart.parts);
  sizes[0] = rest;
  for (auto [size, function] : large) {
    auto *least = min_element(sizes);
    if (least != sizes.begin())
      apart.partOf[function] = least - sizes.begin();
    *least += size;
  }
  return apart;
}
} // namespace

Expected<ObjectCode> compile(Module &module, TargetMachine &machine, CodeEffort effort) {
  auto first =
      find_if(module, [](const Function &f) { return !f.isDeclaration() && !f.hasAvailableExternallyLinkage(); });
  StringRef title = first == module.end() ? "data" : first->getName();
  title.consume_front(kSharedPrefix);
  std::string optimising = ("optimise " + title).str(), generating = ("generate code of " + title).str();
  {
    runtime::TraceSpan span("compile", optimising.c_str());
    optimize(module, machine, effort);
  }
  runtime::TraceSpan span("compile", generating.c_str());
  ObjectCode object;
  raw_svector_ostream os(object);
  if (Error error = writeCode(module, machine, CodeFile::Object, os))
    return error;
  return object;
}

Expected<std::vector<ObjectCode>> compileInParts(Module &module, TargetMachine &machine, const CpuOptions &options) {
  Apart apart = divideFunctions(module);
  std::vector<ObjectCode> objects(apart.parts);
  if (apart.parts == 1) {
    if (Error error = compile(module, machine, options.effort).moveInto(objects[0]))
      return error;
    return objects;
  }
  DividedProgram program = divide(module, apart, GlobalValue::HiddenVisibility);
  Error failure = forEachPart(apart.parts, [&](unsigned part) -> Error {
    LLVMContext context;
    Expected<std::unique_ptr<Module>> own = readPart(program, part, context);
    if (!own)
      return own.takeError();
    Expected<std::unique_ptr<TargetMachine>> partMachine = makeMachine(options);
    if (!partMachine)
      return partMachine.takeError();
    return compile(**own, **partMachine, options.effort).moveInto(objects[part]);
  });
  if (failure)
    return failure;
  return objects;
}

//===- Units of code that a process loads ---------------------------------===//

namespace {
bool containsVector(Type *type) { return type->isVectorTy() || any_of(type->subtypes(), containsVector); }

/// Whether a function is compiled separately on its first call: a run often uses the code for one element type only, or
/// needs a kernel's loop body for many rows late. The callback that compiles it keeps only 128 bits of each vector
/// register, so that functions that take vectors are not among them.
bool isOnDemand(const Function &function) {
  if (function.isDeclaration() || !function.hasLocalLinkage() ||
      any_of(function.args(), [](const Argument &argument) { return containsVector(argument.getType()); }))
    return false;
  return isTuned(function) || function.getInstructionCount() > kSmallFunction;
}

/// Removes declarations that the part does not use.
void removeUnused(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if ((function.isDeclaration() || function.hasAvailableExternallyLinkage()) && function.use_empty())
      function.eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if ((variable.isDeclaration() || variable.hasAvailableExternallyLinkage()) && variable.use_empty())
      variable.eraseFromParent();
}

} // namespace

CodeUnit unitOf(const Module &module) {
  CodeUnit unit;
  raw_string_ostream os(unit.bitcode);
  WriteBitcodeToFile(module, os);
  for (const GlobalValue &global : module.global_values())
    if (global.hasExternalLinkage() && !global.isDeclaration())
      (isa<Function>(global) ? unit.functions : unit.variables).push_back(global.getName().str());
  return unit;
}

Expected<std::vector<CodeUnit>> divideIntoUnits(Module &module) {
  Apart apart;
  for (const Function &function : module)
    if (isOnDemand(function))
      apart.partOf[&function] = apart.parts++;
  // With all calls known, the optimiser would drop undefined operations that a crash should report.
  for (Function &function : module)
    if (!function.isDeclaration())
      share(function, GlobalValue::DefaultVisibility);
  DividedProgram program = divide(module, apart, GlobalValue::DefaultVisibility);
  std::vector<CodeUnit> units(apart.parts);
  Error failure = forEachPart(apart.parts, [&](unsigned part) -> Error {
    LLVMContext context;
    Expected<std::unique_ptr<Module>> own = readPart(program, part, context);
    if (!own)
      return own.takeError();
    removeUnused(**own);
    units[part] = unitOf(**own);
    return Error::success();
  });
  if (failure)
    return failure;
  return units;
}
} // namespace lispier
