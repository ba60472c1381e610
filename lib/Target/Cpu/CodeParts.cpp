//===- CodeParts.cpp - parts of a program, compiled in parallel -----------===//
//
// Kernels are called with pointers and sizes and are never inlined, so that each can be
// compiled apart. A part reads the program's bitcode into a context of its own and keeps
// what it owns. Of what another part owns, it keeps small functions and constants as
// copies for the optimiser, and declares the rest.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/CodeParts.h"
#include "lispier/Runtime/Core/Trace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
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
/// What parts may have copies of: functions that the optimiser may inline, and tables that it may fold.
constexpr unsigned kSmallFunction = 250;
constexpr uint64_t kSmallTable = 4096;

/// A set of parts: bit k stands for part k.
using Parts = uint32_t;
static_assert(kMostParts <= 32);

Parts only(unsigned part) { return Parts(1) << part; }

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

/// Which parts need a definition, and which of these owns it.
class Partition {
public:
  explicit Partition(const Module &module);

  unsigned size() const { return count; }
  unsigned ownerOf(const GlobalValue &global) const {
    Parts parts = needs.lookup(&global);
    return isPowerOf2_32(parts) ? Log2_32(parts) : 0;
  }
  bool isShared(const GlobalValue &global) const { return shared.contains(&global); }
  /// Whether a part that does not own a definition may have a copy, since it has all that the definition refers to.
  bool isCopied(const GlobalValue &global, unsigned part) const { return needs.lookup(&global) & only(part); }

private:
  void divideKernels(const Module &module);
  void spread(const GlobalValue &global);

  unsigned count = 1;
  DenseMap<const GlobalValue *, Parts> needs; ///< A kernel: the part that owns it.
  DenseSet<const GlobalValue *> shared;       ///< Used by a part that does not own it.
};

Partition::Partition(const Module &module) {
  divideKernels(module);
  if (count == 1)
    return;
  SmallVector<const GlobalValue *> roots;
  for (const GlobalValue &global : module.global_values()) {
    if (global.isDeclaration())
      continue;
    if (!global.hasLocalLinkage())
      needs[&global] |= only(0);
    if (needs.lookup(&global) != 0)
      roots.push_back(&global);
  }
  for (const GlobalValue *root : roots)
    spread(*root);
}

/// Gives each kernel to a part, the largest first, so that parts become nearly equal.
void Partition::divideKernels(const Module &module) {
  SmallVector<std::pair<unsigned, const Function *>> kernels;
  unsigned total = 0, host = 0;
  for (const Function &function : module) {
    unsigned size = function.getInstructionCount();
    total += size;
    if (isKernel(function) && function.hasLocalLinkage())
      kernels.push_back({size, &function});
    else
      host += size;
  }
  count = std::clamp(total / kInstructionsPerPart, 1u, kMostParts);
  llvm::stable_sort(kernels, [](auto &a, auto &b) { return a.first > b.first; });
  SmallVector<unsigned> sizes(count);
  sizes[0] = host;
  for (auto [size, kernel] : kernels) {
    auto least = llvm::min_element(sizes);
    needs[kernel] = only(least - sizes.begin());
    *least += size;
  }
}

/// Gives what a definition refers to the parts of the definition.
void Partition::spread(const GlobalValue &global) {
  Parts parts = needs.lookup(&global);
  for (const GlobalValue *used : referencesOf(global)) {
    if (used->isDeclaration())
      continue;
    bool owned = isa<Function>(used) && isKernel(cast<Function>(*used)) && used->hasLocalLinkage();
    Parts before = needs.lookup(used);
    if (owned) {
      if (parts & ~before)
        shared.insert(used);
      continue;
    }
    if ((before | parts) == before)
      continue;
    needs[used] = before | parts;
    if (!isPowerOf2_32(needs[used]))
      shared.insert(used);
    spread(*used);
  }
}

/// Makes a symbol visible to the program's other objects, under a name that no library has.
void share(GlobalValue &global) {
  if (!global.hasLocalLinkage())
    return;
  global.setName("lispier.shared." + global.getName());
  global.setLinkage(GlobalValue::ExternalLinkage);
  global.setVisibility(GlobalValue::HiddenVisibility);
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

Expected<ObjectCode> compile(Module &module, TargetMachine &machine, CodeEffort effort) {
  auto first = find_if(module, [](const Function &function) { return !function.isDeclaration(); });
  std::string name = first == module.end() ? "nothing" : first->getName().str();
  std::string optimising = "optimise " + name, generating = "generate code of " + name;
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

Expected<ObjectCode> compilePart(MemoryBufferRef program, const StringMap<Role> &roles, const CpuOptions &options) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(program, context);
  if (!module)
    return module.takeError();
  reduce(**module, roles);
  if (Error error = (*module)->materializeAll())
    return error;
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(options);
  return machine ? compile(**module, **machine, options.effort) : machine.takeError();
}
} // namespace

Expected<std::vector<ObjectCode>> compileInParts(Module &module, TargetMachine &machine, const CpuOptions &options) {
  Partition partition(module);
  std::vector<ObjectCode> objects(partition.size());
  if (partition.size() == 1) {
    if (Error error = compile(module, machine, options.effort).moveInto(objects[0]))
      return error;
    return objects;
  }
  for (GlobalValue &global : module.global_values())
    if (partition.isShared(global))
      share(global);
  SmallVector<char, 0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(module, os);
  MemoryBufferRef program(os.str(), module.getModuleIdentifier());
  SmallVector<std::optional<Error>> errors(partition.size());
  DefaultThreadPool threads(hardware_concurrency(partition.size()));
  for (unsigned part = 0; part < partition.size(); ++part)
    threads.async([&, part, roles = rolesIn(part, module, partition)] {
      errors[part] = compilePart(program, roles, options).moveInto(objects[part]);
    });
  threads.wait();
  Error failure = Error::success();
  for (std::optional<Error> &error : errors)
    failure = joinErrors(std::move(failure), std::move(*error));
  if (failure)
    return failure;
  return objects;
}
} // namespace lispier
