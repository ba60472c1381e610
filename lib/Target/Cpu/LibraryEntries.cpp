//===- LibraryEntries.cpp - what a shared library exports -----------------===//
//
// For each entry a table (Runtime/Core/EntryCall.h), functions that unpack memref
// descriptors for the functions of each target's module, and those that others call,
// which hand their arguments and the table to the runtime.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/LibraryEntries.h"
#include "lispier/Group/EntryAttributes.h"
#include "lispier/Interface/Interface.h"
#include "lispier/Target/Cpu/CpuTarget.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace lispier {
namespace {
/// A number or a tensor of an entry.
struct Leaf {
  const InterfaceValue *value;
  std::string path;
};

/// The names of an entry's functions and table in the joined module.
std::string runName(const InterfaceEntry &entry, size_t target) {
  return entry.symbol + ".run." + std::to_string(target);
}
std::string sizesName(const InterfaceEntry &entry) { return entry.symbol + ".sizes"; }
std::string tableName(const InterfaceEntry &entry) { return entry.symbol + ".table"; }
std::string registerName(size_t target) { return "lispier.register." + std::to_string(target); }
constexpr StringLiteral kLibrary = "lispier.library";

/// What the code of one module for an entry has.
class EntryCode {
public:
  EntryCode(Module &module, const InterfaceEntry &entry) : module(module), entry(entry), b(module.getContext()) {
    entry.eachLeaf([&](const InterfaceValue &value, StringRef path) { leaves.push_back({&value, path.str()}); });
    count = leaves.size() - entry.results.size();
  }

protected:
  StructType *tableType() {
    Type *p = b.getPtrTy(), *i32 = b.getInt32Ty();
    return StructType::get(module.getContext(), {p, p, p, p, p, i32, i32, i32, i32, p, p, p});
  }
  /// The entry's table, which the joined module defines.
  GlobalVariable *table() {
    return cast<GlobalVariable>(module.getOrInsertGlobal(tableName(entry), tableType(), [&] {
      return new GlobalVariable(module, tableType(), /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
                                tableName(entry));
    }));
  }

  Module &module;
  const InterfaceEntry &entry;
  IRBuilder<> b;
  SmallVector<Leaf> leaves; ///< Parameters, then results.
  unsigned count = 0;       ///< Of parameters.
};

/// The functions of the table that call a target's own.
class TargetCode : EntryCode {
public:
  using EntryCode::EntryCode;

  /// Adds the function with that name, and the one for sizes if that is wanted.
  Error build(StringRef run, bool addsSizes) {
    Function *function = module.getFunction(entry.function), *sizes = module.getFunction(entry.sizeFunction);
    if (!function || !sizes)
      return createStringError("`" + entry.name +
                               "` cannot be exported: the pass pipeline does not run "
                               "lispier-pass-destinations");
    if (!callFunction(unpacked(run, 1), function) || (addsSizes && !callSizes(unpacked(sizesName(entry), 2), sizes)))
      return createStringError("`" + entry.name + "` has another type than its description");
    return Error::success();
  }

private:
  /// A function of so many pointers, with the builder at its beginning.
  Function *unpacked(const Twine &name, unsigned pointers) {
    SmallVector<Type *> types(pointers, b.getPtrTy());
    auto *function =
        Function::Create(FunctionType::get(b.getVoidTy(), types, false), GlobalValue::ExternalLinkage, name, module);
    return function;
  }
  Value *load(Type *type, Value *from, unsigned element = 0) {
    return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(type, from, element));
  }
  /// The value with that number: the address of a descriptor or of a number.
  Value *address(Function *thunk, unsigned i) { return load(b.getPtrTy(), thunk->getArg(0), i); }

  /// Appends the arguments that a memref or a number is.
  void unpack(const InterfaceValue &value, Value *from, SmallVectorImpl<Value *> &arguments, Function *callee) {
    if (!value.isTensor) {
      Type *type = callee->getFunctionType()->getParamType(arguments.size());
      bool isBit = type->isIntegerTy(1);
      Value *number = load(isBit ? b.getInt8Ty() : type, from);
      arguments.push_back(isBit ? b.CreateIsNotNull(number) : number);
      return;
    }
    for (unsigned word : seq<unsigned>(3 + 2 * value.sizes.size()))
      arguments.push_back(load(word < 2 ? cast<Type>(b.getPtrTy()) : b.getInt64Ty(), from, word));
  }

  bool isCallable(Function *callee, ArrayRef<const Leaf *> passed) {
    unsigned arguments = 0;
    for (const Leaf *leaf : passed)
      arguments += leaf->value->isTensor ? 3 + 2 * leaf->value->sizes.size() : 1;
    return callee->arg_size() == arguments;
  }

  bool callFunction(Function *thunk, Function *callee) {
    SmallVector<const Leaf *> passed;
    auto numbers = to_vector(seq<unsigned>(0, count));
    SmallVector<unsigned> returned;
    for (int64_t destination : entry.destinations)
      numbers.push_back(count + destination);
    for (unsigned i : seq<unsigned>(count, leaves.size()))
      if (!is_contained(entry.destinations, i - count))
        returned.push_back(i);
    for (unsigned i : numbers)
      passed.push_back(&leaves[i]);
    if (!isCallable(callee, passed) || callee->getReturnType()->isVoidTy() != returned.empty())
      return false;
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", thunk));
    SmallVector<Value *> arguments;
    for (unsigned i : numbers)
      unpack(*leaves[i].value, address(thunk, i), arguments, callee);
    Value *result = b.CreateCall(callee, arguments);
    for (auto [k, i] : enumerate(returned))
      store(thunk, i, returned.size() == 1 ? result : b.CreateExtractValue(result, k));
    b.CreateRetVoid();
    return true;
  }

  /// Stores a result that the function returns.
  void store(Function *thunk, unsigned i, Value *result) {
    if (!leaves[i].value->isTensor) {
      bool isBit = result->getType()->isIntegerTy(1);
      b.CreateStore(isBit ? b.CreateZExt(result, b.getInt8Ty()) : result, address(thunk, i));
      return;
    }
    Value *descriptor = b.CreateAlloca(result->getType());
    b.CreateStore(result, descriptor);
    FunctionCallee storeResult = module.getOrInsertFunction("lispier_rt_store_result", b.getVoidTy(), b.getPtrTy(),
                                                            b.getInt32Ty(), b.getPtrTy(), b.getPtrTy());
    b.CreateCall(storeResult, {table(), b.getInt32(i), thunk->getArg(0), descriptor});
  }

  bool callSizes(Function *thunk, Function *callee) {
    SmallVector<const Leaf *> passed;
    unsigned sizes = 0;
    for (unsigned i : seq<unsigned>(0, leaves.size()))
      i < count ? passed.push_back(&leaves[i]) : void(sizes += leaves[i].value->sizes.size());
    if (!isCallable(callee, passed) || callee->getReturnType()->isVoidTy() != (sizes == 0))
      return false;
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", thunk));
    SmallVector<Value *> arguments;
    for (unsigned i : seq<unsigned>(0, count))
      unpack(*leaves[i].value, address(thunk, i), arguments, callee);
    Value *result = b.CreateCall(callee, arguments);
    for (unsigned k : seq<unsigned>(0, sizes))
      b.CreateStore(sizes == 1 ? result : b.CreateExtractValue(result, k),
                    b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), thunk->getArg(1), k));
    b.CreateRetVoid();
    return true;
  }
};

/// The table of an entry, and what others call.
class EntryBuilder : EntryCode {
public:
  EntryBuilder(Module &module, const InterfaceEntry &entry, Constant *features, unsigned targets)
      : EntryCode(module, entry), features(features), targets(targets) {}

  void build(std::vector<std::string> &exported) {
    table()->setInitializer(makeTable());
    table()->setLinkage(GlobalValue::InternalLinkage);
    addCFunction(entry.symbol, /*onlySizes=*/false);
    addCFunction(entry.symbol + "__sizes", /*onlySizes=*/true);
    std::string packed = "__tvm_ffi_" + cName(entry.name);
    addPackedFunction(packed, "lispier_rt_call_packed");
    addPackedFunction(packed + "__sizes", "lispier_rt_packed_sizes");
    append_range(exported, ArrayRef<std::string>{entry.symbol, entry.symbol + "__sizes", packed, packed + "__sizes"});
  }

private:
  //===- The table ---------------------------------------------------------===//

  Constant *text(const Twine &text) { return b.CreateGlobalString(text.str(), "lispier.text", 0, &module); }
  Constant *array(Type *type, ArrayRef<Constant *> values) {
    auto *arrayType = ArrayType::get(type, values.size());
    return new GlobalVariable(module, arrayType, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                              ConstantArray::get(arrayType, values), "lispier.array");
  }

  /// A number for each size: Runtime/Core/EntryCall.h. Those of results, which may be expressions, have the names that
  /// parameters have, or none.
  Constant *sizesOf(const InterfaceValue &value, bool isResult) {
    SmallVector<Constant *> numbers;
    for (const auto &size : value.sizes) {
      auto *known = std::get_if<int64_t>(&size);
      int64_t number = known ? *known : INT64_MIN;
      if (const std::string *name = known ? nullptr : &std::get<std::string>(size); name && *name != "_") {
        auto found = find(names, *name);
        if (found == names.end() && !isResult)
          found = names.insert(found, *name);
        number = found == names.end() ? INT64_MIN : -1 - (found - names.begin());
      }
      numbers.push_back(b.getInt64(number));
    }
    return array(b.getInt64Ty(), numbers);
  }

  Constant *makeTable() {
    Type *p = b.getPtrTy(), *i8 = b.getInt8Ty(), *i32 = b.getInt32Ty();
    auto *row = StructType::get(module.getContext(), {p, i8, i8, b.getInt16Ty(), i8, i8, i32, p});
    SmallVector<Constant *> rows, texts;
    for (auto [i, leaf] : enumerate(leaves)) {
      bool isResult = i >= count;
      DLPackType type = dlpackType(leaf.value->type);
      rows.push_back(
          ConstantStruct::get(row, {text(leaf.path), b.getInt8(type.code), b.getInt8(type.bits), b.getInt16(1),
                                    b.getInt8(leaf.value->isTensor), b.getInt8(leaf.value->isWritten || isResult),
                                    b.getInt32(leaf.value->sizes.size()), sizesOf(*leaf.value, isResult)}));
    }
    for (const std::string &name : names)
      texts.push_back(text(name));
    SmallVector<Constant *> runs;
    for (unsigned target : seq(targets)) {
      runs.push_back(module.getFunction(runName(entry, target)));
      cast<Function>(runs.back())->setLinkage(GlobalValue::InternalLinkage);
    }
    Function *sizes = module.getFunction(sizesName(entry));
    sizes->setLinkage(GlobalValue::InternalLinkage);
    return ConstantStruct::get(tableType(),
                               {text(entry.name), text(entry.place), features, array(p, texts), array(row, rows),
                                b.getInt32(count), b.getInt32(entry.results.size()), b.getInt32(names.size()),
                                b.getInt32(0), array(p, runs), sizes, module.getNamedValue(kLibrary)});
  }

  //===- What others call --------------------------------------------------===//

  /// The type that C has for a number.
  Type *cType(const InterfaceValue &value) {
    if (value.type == "f32")
      return b.getFloatTy();
    if (value.type == "f64")
      return b.getDoubleTy();
    return b.getIntNTy(dlpackType(value.type).bits); // 16-bit floats are passed as their bits.
  }
  Type *fieldType(const InterfaceValue &value) {
    if (!value.isRecord())
      return value.isTensor ? b.getPtrTy() : cType(value);
    SmallVector<Type *> fields;
    for (const InterfaceValue &field : value.fields)
      fields.push_back(fieldType(field));
    return StructType::get(module.getContext(), fields);
  }

  Function *addExported(const Twine &name, Type *result, ArrayRef<Type *> parameters) {
    auto *function =
        Function::Create(FunctionType::get(result, parameters, false), GlobalValue::ExternalLinkage, name, module);
    // It runs before the features are checked, so it must not use any of them itself.
    function->addFnAttr("target-cpu", "x86-64");
    function->addFnAttr("target-features", "");
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
    return function;
  }

  /// Stores the addresses of the leaves of a record in `at`; advances `i` by their number. A null record has null ones.
  void storeLeaves(const InterfaceValue &value, Value *from, Value *at, unsigned &i) {
    if (!value.isRecord()) {
      Value *address = value.isTensor ? b.CreateLoad(b.getPtrTy(), from) : from;
      b.CreateStore(address, b.CreateConstInBoundsGEP1_64(b.getPtrTy(), at, i++));
      return;
    }
    for (auto [k, field] : enumerate(value.fields))
      storeLeaves(field, b.CreateStructGEP(fieldType(value), from, k), at, i);
  }

  /// int32_t NAME(const lispier_call *call, parameters and results, or parameters and int64_t *sizes)
  void addCFunction(const Twine &name, bool onlySizes) {
    Type *p = b.getPtrTy(), *i32 = b.getInt32Ty();
    SmallVector<Type *> types{p};
    for (const InterfaceValue &value : entry.parameters)
      types.push_back(value.isRecord() || value.isTensor ? p : cType(value));
    types.append(onlySizes ? 1 : entry.results.size(), p);
    Function *function = addExported(name, i32, types);
    Value *at = b.CreateAlloca(ArrayType::get(p, leaves.size() + 1));
    unsigned i = 0, argument = 1;
    for (const InterfaceValue &value : entry.parameters) {
      Value *given = function->getArg(argument++);
      if (value.isRecord())
        given = orNothing(given, fieldType(value));
      else {
        Value *slot = b.CreateAlloca(given->getType()); // Numbers are passed by address, as are tensors in records.
        b.CreateStore(given, slot);
        given = slot;
      }
      storeLeaves(value, given, at, i);
    }
    if (onlySizes) {
      FunctionCallee call = module.getOrInsertFunction("lispier_rt_entry_sizes", i32, p, p, p);
      b.CreateRet(b.CreateCall(call, {table(), at, function->getArg(argument)}));
      return;
    }
    for (; i < leaves.size(); ++i)
      b.CreateStore(function->getArg(argument++), b.CreateConstInBoundsGEP1_64(p, at, i));
    FunctionCallee call = module.getOrInsertFunction("lispier_rt_call_entry", i32, p, p, p);
    b.CreateRet(b.CreateCall(call, {table(), function->getArg(0), at}));
  }

  /// The address of a record, or of one of zeros, whose tensors the runtime reports, where it is null.
  Value *orNothing(Value *record, Type *type) {
    auto *zeros = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                     Constant::getNullValue(type), "lispier.zeros");
    return b.CreateSelect(b.CreateIsNull(record), zeros, record);
  }

  /// int32_t NAME(void *self, const TVMFFIAny *arguments, int32_t count, TVMFFIAny *result)
  void addPackedFunction(const Twine &name, StringRef callee) {
    Type *p = b.getPtrTy(), *i32 = b.getInt32Ty();
    Function *function = addExported(name, i32, {p, p, i32, p});
    FunctionCallee call = module.getOrInsertFunction(callee, i32, p, p, i32, p);
    b.CreateRet(b.CreateCall(call, {table(), function->getArg(1), function->getArg(2), function->getArg(3)}));
  }

  Constant *features;
  unsigned targets;               ///< Their number.
  std::vector<std::string> names; ///< Of sizes.
};

/// Links the programs' modules, of each what its entries use.
Expected<std::unique_ptr<Module>> joinModules(MutableArrayRef<TargetProgram> programs, ArrayRef<Interface> interfaces) {
  std::unique_ptr<Module> joined;
  for (auto [i, program] : enumerate(programs)) {
    std::vector<std::string> kept;
    for (const InterfaceEntry &entry : interfaces[i].entries) {
      kept.push_back(runName(entry, i));
      if (Error error = TargetCode(*program.module, entry).build(kept.back(), /*addsSizes=*/i == 0))
        return error;
      if (i == 0)
        kept.push_back(sizesName(entry));
    }
    if (Function *registers = program.module->getFunction(kRegisterKernels)) {
      kept.push_back(registerName(i));
      registers->setName(kept.back());
    }
    keepOnly(*program.module, kept);
    if (!joined)
      joined = std::move(program.module);
    else if (Linker::linkModules(*joined, std::move(program.module)))
      return createStringError("the library for " + program.name + " cannot be joined with that for " +
                               programs.front().name);
  }
  return joined;
}

/// The table of the library: its targets, and the functions that register their kernels.
void addLibraryTable(Module &module, ArrayRef<TargetProgram> programs) {
  IRBuilder<> b(module.getContext());
  Type *p = b.getPtrTy();
  auto text = [&](StringRef value) { return b.CreateGlobalString(value, "lispier.target", 0, &module); };
  auto *row = StructType::get(module.getContext(), {p, p, p, p, p});
  SmallVector<Constant *> rows;
  for (auto [i, program] : enumerate(programs)) {
    Function *registers = module.getFunction(registerName(i));
    if (registers)
      registers->setLinkage(GlobalValue::InternalLinkage);
    rows.push_back(ConstantStruct::get(
        row, {text(program.name), text(program.kind), text(program.architecture), text(program.format),
              registers ? cast<Constant>(registers) : ConstantPointerNull::get(b.getPtrTy())}));
  }
  auto *array = ArrayType::get(row, rows.size());
  auto *targets = new GlobalVariable(module, array, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                     ConstantArray::get(array, rows), "lispier.targets");
  // A library for the CPU alone has no code for devices in it.
  bool hasDevices = any_of(programs, [](const TargetProgram &program) { return program.kind != kCpuName.deviceKind; });
  Constant *devices = hasDevices ? module.getOrInsertGlobal("lispier_rt_library_devices", b.getInt8Ty())
                                 : cast<Constant>(ConstantPointerNull::get(b.getPtrTy()));
  auto *type = StructType::get(module.getContext(), {p, p, p, b.getInt32Ty()});
  new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                     ConstantStruct::get(
                         type, {targets, devices, ConstantPointerNull::get(b.getPtrTy()), b.getInt32(programs.size())}),
                     kLibrary);
}
} // namespace

Expected<std::unique_ptr<Module>> joinLibrary(MutableArrayRef<TargetProgram> programs, ArrayRef<Interface> interfaces,
                                              StringRef features, std::vector<std::string> &exported) {
  Expected<std::unique_ptr<Module>> joined = joinModules(programs, interfaces);
  if (!joined)
    return joined;
  Module &module = **joined;
  addLibraryTable(module, programs);
  IRBuilder<> b(module.getContext());
  Constant *requirements = b.CreateGlobalString(features, "lispier.features", 0, &module);
  const Interface &interface = interfaces.front();
  for (const InterfaceEntry &entry : interface.entries)
    EntryBuilder(module, entry, requirements, programs.size()).build(exported);
  auto add = [&](const Twine &name, Type *result) {
    auto *function = Function::Create(FunctionType::get(result, false), GlobalValue::ExternalLinkage, name, module);
    exported.push_back(name.str());
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  };
  for (StringRef name : {"interrupt", "catch_interrupts"}) {
    add(interface.prefix + "_" + name, b.getVoidTy());
    b.CreateCall(module.getOrInsertFunction(("lispier_rt_" + name).str(), b.getVoidTy()));
    b.CreateRetVoid();
  }
  add(interface.prefix + "_error", b.getPtrTy());
  b.CreateRet(b.CreateCall(module.getOrInsertFunction("lispier_rt_entry_error", b.getPtrTy())));
  add("lispier_library_interface", b.getPtrTy());
  b.CreateRet(b.CreateGlobalString(interface.toJson(), "lispier.interface"));
  return joined;
}
} // namespace lispier
