//===- MemoryAttributes.h - kernels and where tensors are ------*- C++ -*-===//
//
// Discardable attributes of the group dialect, which verifies them: of memory, and of kernels
// beside those that group.kernel has itself.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GROUP_MEMORYATTRIBUTES_H
#define LISPIER_GROUP_MEMORYATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Unit attribute of a function's argument, a tensor that the function writes in the caller's memory. Its last value is
/// a further result of the function, after its own results, in the order of the arguments.
inline constexpr llvm::StringLiteral kInoutAttr = "group.inout";
/// Unit attribute of a function's argument: memory of the caller, apart from that of all other arguments, of which the
/// function reads nothing before it writes it. Where it is a tensor, it is that of a result: a further one, as of an
/// argument with kInoutAttr. In the memory plan it may also be that of intermediate tensors.
inline constexpr llvm::StringLiteral kOutAttr = "group.out";
/// Unit attribute of a memref.alloc that bufferization made for a tensor, and of the memref.view that replaces it in
/// the memory plan: two with this attribute that are in use at the same time do not overlap.
inline constexpr llvm::StringLiteral kIntermediateAttr = "group.intermediate";
/// Of a memref.alloc: what the memory is for, for the message if there is not enough: the end of a line, and lines of
/// notes in the form of lispier_rt_fail.
inline constexpr llvm::StringLiteral kMemoryPlanAttr = "group.memory_plan";
/// Of an op that replaces a kernel: the kernel's name.
inline constexpr llvm::StringLiteral kKernelNameAttr = "group.kernel";
/// Of the same: the kernel's `apart`, why it does not contain what makes its operands.
inline constexpr llvm::StringLiteral kApartAttr = "group.apart";
/// Unit attribute of a kernel: all calls that reach it have a result that is as large as that of a wide product.
inline constexpr llvm::StringLiteral kLargeAttr = "group.large";
/// Of a kernel that has no schedule: why not.
inline constexpr llvm::StringLiteral kUnscheduledAttr = "group.unscheduled";
/// Unit attribute of a func.call, until kernels have formed: the callee does more than to compute with numbers and
/// memory.
inline constexpr llvm::StringLiteral kEffectsAttr = "group.effects";
/// Of a kernel, or of what replaces it, while --explain is asked for: what it reads, writes and computes, as NamedSizes
/// prints the fields of KernelCost.
inline constexpr llvm::StringLiteral kCostAttr = "group.cost";
/// Of the same, meanwhile: an array of strings that say at which lines it rounds numbers to 16-bit floats.
inline constexpr llvm::StringLiteral kRoundedAttr = "group.rounded";
/// Of a function, while its module is bufferized: a boolean for each result, whether the caller frees it.
inline constexpr llvm::StringLiteral kOwnedResultsAttr = "group.owned_results";
} // namespace lispier
#endif
