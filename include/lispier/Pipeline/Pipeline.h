//===- Pipeline.h - every pass, in order -----------------------*- C++ -*-===//
#ifndef LISPIER_PIPELINE_PIPELINE_H
#define LISPIER_PIPELINE_PIPELINE_H

namespace lispier {
/// The passes of all rooms and of upstream, so that they can be named in text.
void registerPasses();
} // namespace lispier
#endif
