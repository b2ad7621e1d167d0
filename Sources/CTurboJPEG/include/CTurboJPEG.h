// JPEG from memory through the TurboJPEG API of libjpeg-turbo. Here so that Swift sees two functions and none of the
// handle, its flags and its messages; TurboJPEG itself keeps libjpeg's longjmp to itself.
#ifndef CTURBOJPEG_H
#define CTURBOJPEG_H

#include <stddef.h>
#include <stdint.h>

enum { CTURBOJPEG_MESSAGE_SIZE = 200 };

typedef enum {
    CTURBOJPEG_DECODED,
    CTURBOJPEG_CMYK,    // inks, which need a colour profile to become light: not decoded
    CTURBOJPEG_BROKEN,  // TurboJPEG's words are in the message
} cturbojpeg_result;

// Reads one JPEG, which must have exactly this size and grey or YCbCr or RGB samples, as RGBA8, opaque, into `pixels`,
// which has room for width * height * 4 bytes. Orientation in EXIF is not applied. What libjpeg would warn of, such as
// data cut off, is an error here. `pixels` may be half written after an error.
cturbojpeg_result cturbojpeg_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels, char message[CTURBOJPEG_MESSAGE_SIZE]);

#endif
