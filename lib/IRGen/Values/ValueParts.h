//===- ValueParts.h - the parts that generate values ------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_VALUEPARTS_H
#define LISPIER_LIB_IRGEN_VALUES_VALUEPARTS_H

#include "Core/CoreParts.h"

namespace lispier {
class Arithmetic;
class Collectives;
class MemoryGenerator;
class ValueForms;
class TensorForms;
class TensorSizes;
class TileForms;

/// The parts of Core, and those that know scalars, tiles, tensors and memrefs.
class ValueParts : public CoreParts {
  struct Parts;

public:
  ValueParts(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options);
  ~ValueParts();

private:
  std::unique_ptr<Parts> parts; // Declared first: the references below point into it.

public:
  Arithmetic &arithmetic;
  Collectives &collectives;
  MemoryGenerator &memory;
  ValueForms &values;
  TensorSizes &sizes;
  TensorForms &tensors;
  TileForms &tiles;
};

/// Base class of the parts of Values.
class ValuePart : public Part {
public:
  explicit ValuePart(ValueParts &gen) : Part(gen), gen(gen) {}

protected:
  ValueParts &gen;
};
} // namespace lispier
#endif
