#include "CLibPNG.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

// Adler-32 consists of two sums modulo 65,521 (RFC 1950 8.2). The first sum adds all bytes. The second sum adds the
// value of the first sum after each byte. A block of 32 bytes therefore adds two things to the second sum: 32 times the
// first sum before the block, and each byte times its distance from the block's end. One instruction multiplies the
// bytes by their distances and adds the products in pairs.
enum { BLOCK = 32, MODULUS = 65521 };
// Bytes between two divisions by the modulus. zlib's NMAX of 5,552 bytes keeps both sums below 2^32. RUN is the size of
// the whole blocks that fit into NMAX.
enum { RUN = 5552 / BLOCK * BLOCK };

__attribute__((target("ssse3"))) static uint32_t sum_of(__m128i lanes) {
    lanes = _mm_add_epi32(lanes, _mm_shuffle_epi32(lanes, _MM_SHUFFLE(1, 0, 3, 2)));
    lanes = _mm_add_epi32(lanes, _mm_shuffle_epi32(lanes, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(lanes);
}

// Returns the Adler-32 that follows `adler` after `size` more bytes. `size` is a multiple of BLOCK.
__attribute__((target("ssse3"))) static uint32_t adler_of_blocks(uint32_t adler, const uint8_t *bytes, size_t size) {
    const __m128i far = _mm_setr_epi8(32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17);
    const __m128i near = _mm_setr_epi8(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    const __m128i zero = _mm_setzero_si128(), ones = _mm_set1_epi16(1);
    uint32_t first = adler & 0xFFFF, second = adler >> 16;
    while (size > 0) {
        size_t run = size < RUN ? size : RUN;
        size -= run;
        second += first * (uint32_t)run;
        // The sum of the bytes, the sum of its values before each block, and the bytes times their distances.
        __m128i sums = zero, before = zero, products = zero;
        for (const uint8_t *end = bytes + run; bytes < end; bytes += BLOCK) {
            __m128i left = _mm_loadu_si128((const __m128i *)bytes);
            __m128i right = _mm_loadu_si128((const __m128i *)(bytes + 16));
            before = _mm_add_epi32(before, sums);
            sums = _mm_add_epi32(sums, _mm_add_epi32(_mm_sad_epu8(left, zero), _mm_sad_epu8(right, zero)));
            __m128i pairs = _mm_add_epi16(_mm_maddubs_epi16(left, far), _mm_maddubs_epi16(right, near));
            products = _mm_add_epi32(products, _mm_madd_epi16(pairs, ones));
        }
        first += sum_of(sums);
        second += sum_of(_mm_slli_epi32(before, 5)) + sum_of(products);
        first %= MODULUS;
        second %= MODULUS;
    }
    return second << 16 | first;
}

uint32_t clibpng_adler(uint32_t adler, const uint8_t *bytes, size_t size) {
    size_t blocks = __builtin_cpu_supports("ssse3") ? size & ~(size_t)(BLOCK - 1) : 0;
    adler = adler_of_blocks(adler, bytes, blocks);
    return (uint32_t)adler32_z(adler, bytes + blocks, size - blocks);
}
#else
uint32_t clibpng_adler(uint32_t adler, const uint8_t *bytes, size_t size) {
    return (uint32_t)adler32_z(adler, bytes, size);
}
#endif
