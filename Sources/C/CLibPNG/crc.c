#include "CLibPNG.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

// A CRC is the remainder of a polynomial over GF(2). Moving a block by n bits multiplies the block by x^n. The
// remainder stays the same if the block is multiplied by the remainder of x^n instead. So this code moves 16 bytes by
// 64 bytes with such multiplications, and adds them to the bytes there. The last 16 bytes then have the same CRC as the
// whole input (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009).
// PNG reflects the bits, so each exponent is one less.
__attribute__((target("pclmul,sse4.1"))) static __m128i moved(__m128i block, __m128i by) {
    return _mm_xor_si128(_mm_clmulepi64_si128(block, by, 0x00), _mm_clmulepi64_si128(block, by, 0x11));
}

// Returns the CRC-32 of `size` bytes. `size` is a multiple of 16 and at least 64.
__attribute__((target("pclmul,sse4.1"))) static uint32_t crc_of_blocks(const uint8_t *bytes, size_t size) {
    // Values with the remainders of x^(512+32-1) and x^(512-32-1), and of x^(128+32-1) and x^(128-32-1).
    const __m128i by_64_bytes = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by_16_bytes = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *next = (const __m128i *)bytes;
    const __m128i *end = next + size / 16;
    __m128i lanes[4];
    for (int lane = 0; lane < 4; lane++) lanes[lane] = _mm_loadu_si128(next++);
    lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(-1));  // the initial value of CRC-32
    for (; end - next >= 4; next += 4) {
        for (int lane = 0; lane < 4; lane++) {
            lanes[lane] = _mm_xor_si128(moved(lanes[lane], by_64_bytes), _mm_loadu_si128(next + lane));
        }
    }
    __m128i rest = lanes[0];
    for (int lane = 1; lane < 4; lane++) rest = _mm_xor_si128(moved(rest, by_16_bytes), lanes[lane]);
    while (next < end) rest = _mm_xor_si128(moved(rest, by_16_bytes), _mm_loadu_si128(next++));
    uint8_t left[16];
    _mm_storeu_si128((__m128i *)left, rest);
    // zlib inverts the register before and after its work, so this argument makes the register begin with 0.
    return (uint32_t)crc32_z(0xFFFFFFFF, left, sizeof left);
}

uint32_t clibpng_crc(const uint8_t *bytes, size_t size) {
    if (size < 256 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1")) {
        return (uint32_t)crc32_z(0, bytes, size);
    }
    size_t blocks = size & ~(size_t)15;
    return (uint32_t)crc32_z(crc_of_blocks(bytes, blocks), bytes + blocks, size - blocks);
}
#else
uint32_t clibpng_crc(const uint8_t *bytes, size_t size) { return (uint32_t)crc32_z(0, bytes, size); }
#endif
