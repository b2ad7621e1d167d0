#include "filter.h"

#include <stdlib.h>
#include <string.h>

static unsigned channels(const clibpng_description *description) {
    switch (description->kind) {
    case CLIBPNG_GRAY_ALPHA: return 2;
    case CLIBPNG_RGB: return 3;
    case CLIBPNG_RGBA: return 4;
    default: return 1;
    }
}

size_t clibpng_packed_bytes(const clibpng_description *description) {
    return ((size_t)description->width * channels(description) * (unsigned)description->bit_depth + 7) / 8;
}

size_t clibpng_pixel_bytes(const clibpng_description *description) {
    return channels(description);
}

// The first sample occupies the high bits of a byte (PNG 7.2). Unused bits of the last byte are 0.
void clibpng_pack(const clibpng_description *description, const uint8_t *samples, uint8_t *target) {
    int depth = description->bit_depth;
    size_t count = description->width, each = 8 / (size_t)depth, whole = count / each;
    for (size_t byte = 0; byte < whole; byte++, samples += each) {
        unsigned bits = 0;
        for (size_t i = 0; i < each; i++) bits = bits << depth | samples[i];
        target[byte] = (uint8_t)bits;
    }
    if (count % each == 0) return;
    unsigned bits = 0;
    for (size_t i = 0; i < each; i++) bits = bits << depth | (i < count % each ? samples[i] : 0u);
    target[whole] = (uint8_t)bits;
}

static uint8_t paeth(int left, int above, int corner) {
    int to_left = abs(above - corner), to_above = abs(left - corner), to_corner = abs(left + above - 2 * corner);
    int other = to_above <= to_corner ? above : corner;
    return (uint8_t)(to_left <= to_above && to_left <= to_corner ? left : other);
}

// Writes the row, filtered by filter `type` (0…4), into `target`. `step` is the distance to the byte of the pixel on
// the left, in bytes.
static void apply(
    int type, const uint8_t *restrict row, const uint8_t *restrict above, size_t size, size_t step,
    uint8_t *restrict target) {
    size_t edge = step < size ? step : size;
    switch (type) {
    case 1:
        memcpy(target, row, edge);
        for (size_t i = edge; i < size; i++) target[i] = (uint8_t)(row[i] - row[i - step]);
        break;
    case 2:
        for (size_t i = 0; i < size; i++) target[i] = (uint8_t)(row[i] - above[i]);
        break;
    case 3:
        for (size_t i = 0; i < edge; i++) target[i] = (uint8_t)(row[i] - above[i] / 2);
        for (size_t i = edge; i < size; i++) target[i] = (uint8_t)(row[i] - (row[i - step] + above[i]) / 2);
        break;
    case 4:
        for (size_t i = 0; i < edge; i++) target[i] = (uint8_t)(row[i] - above[i]);
        for (size_t i = edge; i < size; i++) {
            target[i] = (uint8_t)(row[i] - paeth(row[i - step], above[i], above[i - step]));
        }
        break;
    default: memcpy(target, row, size);
    }
}

// Returns the sum of the absolute differences of a filtered row. The filter with the smallest sum wins (PNG 12.7).
static uint64_t differences(const uint8_t *bytes, size_t size) {
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) sum += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
    return sum;
}

void clibpng_filter_row(
    int filters, const uint8_t *row, const uint8_t *above, size_t size, size_t step, uint8_t *spare, uint8_t *target) {
    static const int masks[] = {
        CLIBPNG_FILTER_NONE, CLIBPNG_FILTER_SUB, CLIBPNG_FILTER_UP, CLIBPNG_FILTER_AVERAGE, CLIBPNG_FILTER_PAETH};
    uint64_t least = UINT64_MAX;
    for (int type = 0; type < 5; type++) {
        if (!(filters & masks[type])) continue;
        if (filters == masks[type]) {
            target[0] = (uint8_t)type;
            apply(type, row, above, size, step, target + 1);
            return;
        }
        apply(type, row, above, size, step, spare);
        uint64_t sum = differences(spare, size);
        if (sum >= least) continue;
        least = sum;
        target[0] = (uint8_t)type;
        memcpy(target + 1, spare, size);
    }
}
