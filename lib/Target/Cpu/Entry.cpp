//===- Entry.cpp - wrappers around `main` ---------------------------------===//
#include "lispier/Target/Cpu/Entry.h"
#include "lispier/Target/Cpu/CpuTarget.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace lispier {
namespace {
/// Renames the program's `main`, so that it does not clash with C's.
Function *hideMain(Module &module) {
  Function *main = module.getFunction("main");
  assert(main && "checked by the caller");
  main->setName(kHiddenMainName);
  main->setLinkage(GlobalValue::InternalLinkage);
  return main;
}

/// Calls `main` with (argc, argv) or without arguments. Returns its first result, or null.
Value *callMain(IRBuilder<> &builder, Function *main, Value *argc, Value *argv) {
  SmallVector<Value *, 2> arguments;
  if (main->arg_size() == 2)
    arguments = {builder.CreateSExtOrTrunc(argc, main->getArg(0)->getType()), argv};
  Value *result = builder.CreateCall(main, arguments);
  if (auto *type = dyn_cast<StructType>(result->getType()); type && type->getNumElements() > 0)
    result = builder.CreateExtractValue(result, 0);
  return result->getType()->isVoidTy() ? nullptr : result;
}

/// Calls the module's constructors, which the JIT does not.
void callConstructors(IRBuilder<> &builder, Module &module) {
  SmallVector<orc::CtorDtorIterator::Element> constructors;
  for (orc::CtorDtorIterator::Element constructor : orc::getConstructors(module))
    constructors.push_back(constructor);
  stable_sort(constructors, [](auto &a, auto &b) { return a.Priority < b.Priority; });
  for (const auto &constructor : constructors)
    builder.CreateCall(constructor.Func->getFunctionType(), constructor.Func);
  if (GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors"))
    list->eraseFromParent();
}

IRBuilder<> begin(Function *function) { return IRBuilder<>(BasicBlock::Create(function->getContext(), "", function)); }
} // namespace

void addJitEntry(Module &module) {
  Function *main = hideMain(module);
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *i32 = Type::getInt32Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {i32, pointer, pointer}, false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage, kEntryName, module);
  IRBuilder<> builder = begin(entry);
  callConstructors(builder, module);
  Value *result = callMain(builder, main, entry->getArg(0), entry->getArg(1));
  // The caller's result has 64 bits; it does not print wider ones.
  if (result && (result->getType()->isIntegerTy() || result->getType()->isFloatingPointTy()) &&
      result->getType()->getPrimitiveSizeInBits() <= 64)
    builder.CreateStore(result, entry->getArg(2));
  builder.CreateRetVoid();
}

namespace {
constexpr StringLiteral kChooseTarget = "lispier_rt_choose_target";

/// Calls the runtime with a table of the programs. Returns the index of the one to run.
Value *callChoice(IRBuilder<> &builder, Module &module, ArrayRef<TargetProgram> programs) {
  Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty();
  auto *row = StructType::get(module.getContext(), {pointer, pointer, pointer, pointer});
  auto text = [&](StringRef value) { return builder.CreateGlobalString(value, "lispier.target"); };
  SmallVector<Constant *> rows;
  for (const TargetProgram &program : programs)
    rows.push_back(ConstantStruct::get(
        row, {text(program.name), text(program.kind), text(program.architecture), text(program.format)}));
  auto *type = ArrayType::get(row, rows.size());
  auto *table = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                   ConstantArray::get(type, rows), "lispier.targets");
  FunctionCallee choose = module.getOrInsertFunction(kChooseTarget, i32, pointer, i32);
  return builder.CreateCall(choose, {table, builder.getInt32(rows.size())});
}
} // namespace

Expected<std::unique_ptr<Module>> joinTargets(MutableArrayRef<TargetProgram> programs) {
  std::unique_ptr<Module> joined;
  auto nameOf = [](size_t number) { return (kHiddenMainName + "." + Twine(number)).str(); };
  for (size_t i = 0; i < programs.size(); ++i) {
    std::unique_ptr<Module> &module = programs[i].module;
    keepOnly(*module, {"main"});
    module->getFunction("main")->setName(nameOf(i));
    if (!joined)
      joined = std::move(module);
    else if (Linker::linkModules(*joined, std::move(module)))
      return createStringError("the program for " + programs[i].name + " cannot be joined with that for " +
                               programs.front().name);
  }
  FunctionType *type = joined->getFunction(nameOf(0))->getFunctionType();
  auto *main = Function::Create(type, GlobalValue::ExternalLinkage, "main", *joined);
  IRBuilder<> builder = begin(main);
  auto *first = BasicBlock::Create(joined->getContext(), "", main);
  SwitchInst *choice = builder.CreateSwitch(callChoice(builder, *joined, programs), first, programs.size() - 1);
  SmallVector<Value *> arguments(make_pointer_range(main->args()));
  for (size_t i = 0; i < programs.size(); ++i) {
    Function *own = joined->getFunction(nameOf(i));
    own->setLinkage(GlobalValue::InternalLinkage);
    own->addFnAttr(Attribute::NoInline);
    BasicBlock *block = i == 0 ? first : BasicBlock::Create(joined->getContext(), "", main);
    if (i > 0)
      choice->addCase(builder.getInt32(i), block);
    builder.SetInsertPoint(block);
    CallInst *result = builder.CreateCall(own, arguments);
    type->getReturnType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(result);
  }
  return joined;
}

/// Of a program with a mesh: whether its kernels run on a GPU. Null for others.
static Value *usesRanks(Module &module, IRBuilder<> &builder) {
  if (module.getFunction("lispier_rt_comm_device_mesh"))
    return builder.getInt32(1);
  return module.getFunction("lispier_rt_comm_mesh") ? builder.getInt32(0) : nullptr;
}

void addExecutableEntry(Module &module, StringRef features) {
  Function *main = hideMain(module);
  main->addFnAttr(Attribute::NoInline);
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *i32 = Type::getInt32Ty(context);
  auto *entry =
      Function::Create(FunctionType::get(i32, {i32, pointer}, false), GlobalValue::ExternalLinkage, "main", module);
  // It runs before the features are checked, so it must not use any of them itself.
  entry->addFnAttr("target-cpu", "x86-64");
  entry->addFnAttr("target-features", "");
  IRBuilder<> builder = begin(entry);
  FunctionCallee require = module.getOrInsertFunction("lispier_rt_require_cpu", Type::getVoidTy(context), pointer);
  builder.CreateCall(require, builder.CreateGlobalString(features, "lispier.features"));
  if (!module.getFunction(kChooseTarget)) // With several targets, this function handles LISPIER_TARGET.
    builder.CreateCall(module.getOrInsertFunction("lispier_rt_check_target_wish", Type::getVoidTy(context)));
  Value *given = entry->getArg(0);
  if (Value *isForDevice = usesRanks(module, builder))
    given = builder.CreateCall(module.getOrInsertFunction("lispier_rt_comm_arguments", i32, i32, pointer, i32),
                               {given, entry->getArg(1), isForDevice});
  Value *count = builder.CreateSub(given, builder.getInt32(1));
  Value *first = builder.CreateConstGEP1_64(pointer, entry->getArg(1), 1);
  Value *result = callMain(builder, main, count, first);
  bool isStatus = result && result->getType()->isIntegerTy();
  builder.CreateRet(isStatus ? builder.CreateSExtOrTrunc(result, i32) : builder.getInt32(0));
}
} // namespace lispier
