// JPEG in memory through the TurboJPEG API of libjpeg-turbo. Here so that Swift sees a few functions and none of the
// handle, its flags and its messages; TurboJPEG itself keeps libjpeg's longjmp to itself.
#ifndef CTURBOJPEG_H
#define CTURBOJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CTURBOJPEG_MESSAGE_SIZE = 200 };

typedef enum {
    CTURBOJPEG_DECODED,
    CTURBOJPEG_BROKEN,  // TurboJPEG's words are in the message
} cturbojpeg_result;

// Reads one JPEG, which must have exactly this size, as RGBA8, opaque, into `pixels`, which has room for width * height * 4
// bytes. Inks become light without a profile: each takes its share of what black leaves, and 255 is no ink, as
// Adobe's programs write it and browsers read it. Orientation in EXIF is not applied. What libjpeg would warn of, such as data cut off,
// is an error here. `pixels` may be half written after an error.
cturbojpeg_result cturbojpeg_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels,
    char message[CTURBOJPEG_MESSAGE_SIZE]);

// Writes `pixels`, width * height of RGBA8 whose alpha is ignored, as a progressive JPEG of `quality` 1…100. Colours have
// half the resolution below a quality of 90, and none are written where `is_gray`. Returns `*size` bytes for
// cturbojpeg_free; NULL where there is no memory.
uint8_t *cturbojpeg_encode(const uint8_t *pixels, int width, int height, int quality, bool is_gray, size_t *size);
void cturbojpeg_free(uint8_t *bytes);

#endif
