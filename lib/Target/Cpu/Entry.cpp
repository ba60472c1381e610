//===- Entry.cpp - wrappers around `main` ---------------------------------===//
#include "lispier/Target/Cpu/Entry.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace lispier {
namespace {
/// The program's `main`, out of the way of C's.
Function *hideMain(Module &module) {
  Function *main = module.getFunction("main");
  assert(main && "checked by the caller");
  main->setName("lispier.main");
  main->setLinkage(GlobalValue::InternalLinkage);
  return main;
}

/// Calls `main` with (argc, argv) or with nothing; the first result, or null.
Value *callMain(IRBuilder<> &builder, Function *main, Value *argc, Value *argv) {
  SmallVector<Value *, 2> arguments;
  if (main->arg_size() == 2)
    arguments = {builder.CreateSExtOrTrunc(argc, main->getArg(0)->getType()), argv};
  Value *result = builder.CreateCall(main, arguments);
  if (auto *type = dyn_cast<StructType>(result->getType()); type && type->getNumElements() > 0)
    result = builder.CreateExtractValue(result, 0);
  return result->getType()->isVoidTy() ? nullptr : result;
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
  Value *result = callMain(builder, main, entry->getArg(0), entry->getArg(1));
  // The host's slot has 64 bits; a wider result is one that it does not print.
  if (result && (result->getType()->isIntegerTy() || result->getType()->isFloatingPointTy()) && result->getType()->getPrimitiveSizeInBits() <= 64)
    builder.CreateStore(result, entry->getArg(2));
  builder.CreateRetVoid();
}

void addExecutableEntry(Module &module, StringRef features) {
  Function *main = hideMain(module);
  main->addFnAttr(Attribute::NoInline);
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *i32 = Type::getInt32Ty(context);
  auto *entry = Function::Create(FunctionType::get(i32, {i32, pointer}, false), GlobalValue::ExternalLinkage, "main", module);
  // It asks about the processor, so it may not itself use what the processor may lack.
  entry->addFnAttr("target-cpu", "x86-64");
  entry->addFnAttr("target-features", "");
  IRBuilder<> builder = begin(entry);
  FunctionCallee require = module.getOrInsertFunction("lispier_rt_require_cpu", Type::getVoidTy(context), pointer);
  builder.CreateCall(require, builder.CreateGlobalString(features, "lispier.features"));
  Value *count = builder.CreateSub(entry->getArg(0), builder.getInt32(1));
  Value *first = builder.CreateConstGEP1_64(pointer, entry->getArg(1), 1);
  Value *result = callMain(builder, main, count, first);
  bool isStatus = result && result->getType()->isIntegerTy();
  builder.CreateRet(isStatus ? builder.CreateSExtOrTrunc(result, i32) : builder.getInt32(0));
}
} // namespace lispier
