//===- TileFit.h - whether a block can run a tile program ------*- C++ -*-===//
#ifndef LISPIER_SCHEDULE_TILEFIT_H
#define LISPIER_SCHEDULE_TILEFIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace lispier {
struct ScheduleGroupsOptions;

/// Whether the target's blocks have registers and shared memory for the tile programs of `programs`, a module with
/// `device.target` that has nothing else, and that this may change. It reports nothing.
using TileFit = std::function<bool(mlir::ModuleOp programs)>;

/// Creates lispier-schedule-groups, which makes the tiles of programs that do not fit smaller. Null counts as one that
/// all programs fit.
std::unique_ptr<mlir::Pass> createScheduleGroups(const ScheduleGroupsOptions &options, TileFit fit);
} // namespace lispier
#endif
