//===- Replayable.cpp - launches that a device repeats --------------------===//
#include "Control.h"
#include "Core/FormEvaluator.h"
#include "Core/OpenTypes.h"
#include "Core/Operations.h"
#include "Generator.h"
#include "InPlace.h"
#include "lispier/Device/DeviceDialect.h"

using namespace llvm;

namespace lispier {
/// (replayable body ...): a device.replay, whose results are the values of the body.
mlir::FailureOr<Values> ControlFlow::emitReplayable(const Form *form, mlir::Type hint) {
  CarriedTensors written(gen.inPlace, form->items().drop_front(), /*repeats=*/false);
  auto untyped = make<device::ReplayOp>(form, mlir::TypeRange());
  mlir::Block *body = &untyped.getBody().emplaceBlock();
  written.enter(body, written.before());
  auto values = gen.evaluator->emitInside(body, form->items().drop_front(), hint);
  mlir::Operation *last = body->empty() ? nullptr : &body->back();
  if (succeeded(values) && last && last->hasTrait<mlir::OpTrait::IsTerminator>()) {
    error("term-missing", form,
          "the body of `replayable` goes on to its end, and cannot leave by `" + last->getName().getStringRef() + "`")
        .withHint("move it behind the (replayable ...)");
    values = mlir::failure();
  }
  if (failed(values)) {
    gen.ops.discard(untyped);
    return mlir::failure();
  }
  for (mlir::Value value : *values)
    gen.openTypes.settle(value, hint);
  size_t own = values->size();
  append_range(*values, written.current());
  builder.setInsertionPointToEnd(body);
  make<device::YieldOp>(form, *values);
  builder.setInsertionPointAfter(untyped);
  auto replay = make<device::ReplayOp>(form, mlir::ValueRange(*values).getTypes());
  replay.getBody().takeBody(untyped.getBody());
  untyped.erase();
  written.leave(replay.getResults().drop_front(own));
  return Values(replay.getResults().take_front(own));
}
} // namespace lispier
