// Encodes and decodes JPEG in memory with the TurboJPEG API of libjpeg-turbo. This is C so that Swift sees three
// functions instead of TurboJPEG's handle and flags. TurboJPEG catches the longjmp of libjpeg itself.
#ifndef CTURBOJPEG_H
#define CTURBOJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CTURBOJPEG_MESSAGE_SIZE = 200 };

typedef enum {
    CTURBOJPEG_DECODED,
    CTURBOJPEG_BROKEN,  // the message says why
} cturbojpeg_result;

// Decodes a JPEG as opaque RGBA8 into `pixels`, which has room for width * height * 4 bytes. The image must have
// exactly this size. CMYK is converted without a colour profile: each channel is the ink's value times the value of
// black, divided by 255. A value of 255 means no ink, as in files of Adobe's programs and in browsers. The orientation
// in EXIF is ignored. A warning of libjpeg, such as incomplete data, is an error here. `pixels` may be partly written
// after an error.
cturbojpeg_result cturbojpeg_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels,
    char message[CTURBOJPEG_MESSAGE_SIZE]);

// Encodes width * height pixels of RGBA8 as a progressive JPEG of `quality` 1…100. Alpha is ignored. Below a quality of
// 90 colours have half the resolution. If `is_gray` is true, the JPEG has no colours. Returns `*size` bytes, which
// cturbojpeg_free frees. Returns NULL if memory runs out or TurboJPEG refuses the size.
uint8_t *cturbojpeg_encode(const uint8_t *pixels, int width, int height, int quality, bool is_gray, size_t *size);
void cturbojpeg_free(uint8_t *bytes);

#endif
