//===- Format.h - the command fmt -----------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_FORMAT_H
#define LISPIER_TOOLS_LISPIER_FORMAT_H

struct Invocation;
namespace lispier {
class Session;
}

/// Lays out the files of the command line. False: one cannot be read or written, or would change and may not.
bool formatFiles(lispier::Session &session, const Invocation &invocation);
#endif
