//===- Constants.h - coefficients and split numbers of lib/Math -*- C++ -*-===//
//
// What tools/dev/math-constants prints: it says how each number is derived, and
// a test compares. Change the script, not this.
//
// P(x) is c[0] + c[1] x + c[2] x^2 ... The largest error beside it is relative to
// the function on the left; rounding comes on top. A number in several parts
// (kLn2, kLn2Low) is their sum.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MATH_CONSTANTS_H
#define LISPIER_MATH_CONSTANTS_H

#include <cstdint>

// clang-format off
namespace lispier::f32 {
/// 1/ln(2).
inline constexpr float kLog2E = 0x1.715476p+0f, kLog2ELow = 0x1.4ae0cp-26f;
/// 1/ln(10).
inline constexpr float kLog10E = 0x1.bcb7b2p-2f, kLog10ELow = -0x1.5b235ep-27f;
/// pi/2.
inline constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f, kHalfPiLowest = -0x1.ee59dap-50f;
/// 2/pi.
inline constexpr float kTwoOverPi = 0x1.45f306p-1f;
/// sqrt(1/2), as bits.
inline constexpr int32_t kSqrtHalfBits = 0x3F3504F3;
/// A third of a number's bits and this are nearly those of its cube root.
inline constexpr int32_t kCubeRootBits = 0x2A51067F;
/// ln(2).
inline constexpr float kLn2 = 0x1.62e43p-1f, kLn2Low = -0x1.05c61p-29f;
/// ln(2) in 15 bits, so that its product with an exponent is exact, and the rest.
inline constexpr float kLn2Short = 0x1.62e4p-1f, kLn2Rest = 0x1.7f7d1cp-20f;
/// log10(2).
inline constexpr float kLog10Of2 = 0x1.344136p-2f, kLog10Of2Low = -0x1.ec10cp-27f;
/// 2/pi after 32 zeros, 32 bits a word.
inline constexpr uint32_t kTwoOverPiWords[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
/// e^r - 1 = r + r^2 P(r) for |r| <= ln(2)/2. Largest error: 2^-26.1.
inline constexpr float kExpm1[] = {
    0x1.fffffep-2f, 0x1.5554b4p-3f, 0x1.5556f8p-5f, 0x1.12252ep-7f, 0x1.6b95d8p-10f};
/// log(1 + f) = f - f^2/2 + f^3 P(f) for 1 + f in [sqrt(1/2), sqrt(2)]. Largest error: 2^-30.2.
inline constexpr float kLog1p[] = {
    0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a476p-3f, -0x1.555c44p-3f, 0x1.233ba2p-3f, -0x1.fc28cap-4f, 0x1.e6c01p-4f,
    -0x1.de01f2p-4f, 0x1.14735p-4f};
/// 2 atanh(u/2) = u + u^3 P(u^2): the series.
inline constexpr float kAtanhSeries[] = {
    0x1.555556p-4f, 0x1.99999ap-7f, 0x1.24924ap-9f, 0x1.c71c72p-12f, 0x1.745d18p-14f};
/// erf x = x + x P(x^2) for |x| <= 0.9. Largest error: 2^-26.0.
inline constexpr float kErf[] = {
    0x1.06eba6p-3f, -0x1.8126eep-2f, 0x1.ce1c2p-4f, -0x1.b6a8cep-6f, 0x1.4805e2p-8f, -0x1.3dc424p-11f};
/// erf x = 1 - e^-P(x) for 0.9 <= x <= 3.95. Largest error: 2^-33.9.
inline constexpr float kErfExponent[] = {
    -0x1.62d8b2p-13f, 0x1.212626p+0f, 0x1.444d26p-1f, 0x1.bb44d6p-4f, -0x1.9ae9fep-6f, 0x1.105eccp-8f, -0x1.c449fap-12f,
    0x1.5d57c4p-16f};
/// erfc x = e^-x^2 P((x - 4)/(x + 4)) / (1 + 2 x) for 1/2 <= x <= 10.1. Largest error: 2^-25.1.
inline constexpr float kErfc[] = {
    0x1.3ba592p+0f, -0x1.1df1acp-3f, 0x1.f7da74p-7f, 0x1.16eb0cp-4f, -0x1.9da82ap-4f, 0x1.8023f8p-4f, -0x1.108812p-4f,
    0x1.2d82fep-5f, -0x1.08a304p-6f, 0x1.734274p-8f};
/// sin r = r + r^3 P(r^2) for |r| <= pi/4. Largest error: 2^-27.9.
inline constexpr float kSin[] = {
    -0x1.555546p-3f, 0x1.110778p-7f, -0x1.995406p-13f};
/// cos r = 1 - r^2/2 + r^4 P(r^2) for |r| <= pi/4. Largest error: 2^-32.9.
inline constexpr float kCos[] = {
    0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f};
/// atan x = x + x^3 P(x^2) for |x| <= 1. Largest error: 2^-28.5.
inline constexpr float kAtan[] = {
    -0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.242086p-3f, 0x1.c08c5p-4f, -0x1.58093p-4f, 0x1.da2aa4p-5f, -0x1.fd802cp-6f,
    0x1.642862p-7f, -0x1.d3636ap-10f};
/// asin x = x + x^3 P(x^2) for |x| <= 1/2. Largest error: 2^-27.6.
inline constexpr float kAsin[] = {
    0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bbap-5f, 0x1.8c3e26p-6f, 0x1.595c96p-5f};
} // namespace lispier::f32
namespace lispier::f64 {
/// 1/ln(2).
inline constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
/// 1/ln(10).
inline constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
/// pi/2.
inline constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54, kHalfPiLowest =
    -0x1.f1976b7ed8fbcp-110;
/// 2/pi.
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
/// sqrt(1/2), as bits.
inline constexpr int64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD;
/// A third of a number's bits, of its upper 32, and this are nearly those of its cube root.
inline constexpr int32_t kCubeRootBits = 0x2A9F7625;
/// ln(2).
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
/// ln(2) in 42 bits, so that its product with an exponent is exact, and the rest.
inline constexpr double kLn2Short = 0x1.62e42fefa38p-1, kLn2Rest = 0x1.ef35793c7673p-45;
/// 2/3.
inline constexpr double kTwoThirds = 0x1.5555555555555p-1, kTwoThirdsLow = 0x1.5555555555555p-55;
/// tan(pi/8).
inline constexpr double kTanOfEighthOfPi = 0x1.a827999fcef32p-2;
/// 2/pi after 64 zeros, 64 bits a word.
inline constexpr uint64_t kTwoOverPiWords[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
/// e^r - 1 = r + r^2/2 + r^3 P(r) for |r| <= ln(2)/2 + 2^-10. Largest error: 2^-65.0.
inline constexpr double kExpm1[] = {
    0x1.5555555555555p-3, 0x1.5555555555555p-5, 0x1.111111111135p-7, 0x1.6c16c16c16b78p-10, 0x1.a01a019ede48dp-13,
    0x1.a01a01a33a11dp-16, 0x1.71de3f16adce5p-19, 0x1.27e4e4c624cb4p-22, 0x1.ae53919a99badp-26, 0x1.1f6274918419dp-29,
    0x1.7782094b8cfc2p-33};
/// sinh x = x + x^3 P(x^2) for |x| <= 1. Largest error: 2^-62.9.
inline constexpr double kSinh[] = {
    0x1.5555555555555p-3, 0x1.111111111119bp-7, 0x1.a01a01a00735dp-13, 0x1.71de3a68cfec4p-19, 0x1.ae6441230a6bfp-26,
    0x1.61314cf85d9b4p-33, 0x1.a665993cf2528p-41, 0x1.d292732a10f9fp-48};
/// erf x = x + x P(x^2) for |x| <= 1. Largest error: 2^-56.3.
inline constexpr double kErf[] = {
    0x1.06eba8214db69p-3, -0x1.812746b037a25p-2, 0x1.ce2f21a0458e2p-4, -0x1.b82ce313552f7p-6, 0x1.565bcd2c78f3ap-8,
    -0x1.c02db9384a71dp-11, 0x1.f9a3ba0cd3f58p-14, -0x1.f4dd01c0a5f5cp-17, 0x1.ba6a057d8892cp-20,
    -0x1.6399b80a3d246p-23, 0x1.1355c8456e74dp-26, -0x1.c6200f04b3693p-30, 0x1.3dab70e965a43p-33};
/// erfc x = e^-x^2 P((x - 4)/(x + 4)) / (1 + 2 x) for 1/2 <= x <= 28. Largest error: 2^-54.5.
inline constexpr double kErfc[] = {
    0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28dp-3, 0x1.f7f5df66fb306p-7, 0x1.16ecefcfa527ep-4, -0x1.9ddb23c3d85e5p-4,
    0x1.7fee004e153ep-4, -0x1.0fb06dffc287dp-4, 0x1.3079edf5fc574p-5, -0x1.096238411ee6fp-6, 0x1.49c672bd8783cp-8,
    -0x1.8d4ad27f09b53p-11, -0x1.a1df5ba49cd9dp-13, 0x1.3be3dc732f9c4p-13, -0x1.99511ed2d5171p-16,
    -0x1.7919f4fc29f83p-17, 0x1.7ec70b3c7e1cdp-18, 0x1.577af4d35be5p-22, -0x1.b56d035324284p-21, 0x1.b0cfccef8f3bcp-25,
    0x1.a803efcd7f5ecp-24, -0x1.ba1ad74e4d28ap-28, -0x1.0db21c4552b5ap-27};
/// 2 atanh s = 2 s + 2/3 s^3 + s^5 P(s^2) for |s| <= (sqrt(2) - 1)/(sqrt(2) + 1). Largest error: 2^-76.9.
inline constexpr double kAtanh[] = {
    0x1.999999999999ap-2, 0x1.2492492492363p-2, 0x1.c71c71c747ea4p-3, 0x1.745d172bc8946p-3, 0x1.3b13ba5a96b12p-3,
    0x1.110f1c3839d56p-3, 0x1.e2657e065aa4ap-4, 0x1.a508f9fa6618p-4, 0x1.eca15e675eb48p-4};
/// sin r = r + r^3 P(r^2) for |r| <= pi/4. Largest error: 2^-63.2.
inline constexpr double kSin[] = {
    -0x1.5555555555555p-3, 0x1.1111111111068p-7, -0x1.a01a019ffe08ap-13, 0x1.71de3a332bffep-19, -0x1.ae642b98e77efp-26,
    0x1.610939d5d8a6cp-33, -0x1.9fb6570edae8ap-41};
/// cos r = 1 - r^2/2 + r^4 P(r^2) for |r| <= pi/4. Largest error: 2^-68.9.
inline constexpr double kCos[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16b3p-10, 0x1.a01a019ffcb73p-16, -0x1.27e4fb5a1e947p-22, 0x1.1eed6f7d6b87bp-29,
    -0x1.93744e6c30b76p-37, 0x1.9dabc63dffc42p-45};
/// atan q = q + q^3 P(q^2) for |q| <= tan(pi/8). Largest error: 2^-63.8.
inline constexpr double kAtan[] = {
    -0x1.5555555555554p-2, 0x1.9999999999584p-3, -0x1.249249246f58ep-3, 0x1.c71c71b458dcep-4, -0x1.745d145049d5bp-4,
    0x1.3b1364f05761fp-4, -0x1.110beb79d37a3p-4, 0x1.e167bbaa8522cp-5, -0x1.ab3bf5ccbf11bp-5, 0x1.6fe4f9a1448fap-5,
    -0x1.0fd56d08fb85cp-5, 0x1.e84d2d62bc184p-7};
} // namespace lispier::f64
// clang-format on
#endif
