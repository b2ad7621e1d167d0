#include "CTurboJPEG.h"

#include <string.h>
#include <turbojpeg.h>

static cturbojpeg_result fail(char *message, const char *reason) {
    strncpy(message, reason, CTURBOJPEG_MESSAGE_SIZE - 1);
    return CTURBOJPEG_BROKEN;
}

// Replaces pixels of inverted cyan, magenta, yellow and black with red, green, blue and an alpha of 255.
static void print_inks(uint8_t *pixels, size_t count) {
    for (uint8_t *end = pixels + count * 4; pixels < end; pixels += 4) {
        for (int ink = 0; ink < 3; ink++) pixels[ink] = (uint8_t)((pixels[ink] * pixels[3] + 127) / 255);
        pixels[3] = 255;
    }
}

static cturbojpeg_result decode(
    tjhandle decoder, const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels, char *message) {
    int found_width, found_height, subsampling, colorspace;
    if (tjDecompressHeader3(decoder, bytes, size, &found_width, &found_height, &subsampling, &colorspace) != 0) {
        return fail(message, tjGetErrorStr2(decoder));
    }
    if (found_width != width || found_height != height) {
        return fail(message, "the image has another size than its header said");
    }
    // TurboJPEG converts YCCK to CMYK, but it does not convert CMYK to RGB. print_inks does that.
    bool has_inks = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    int format = has_inks ? TJPF_CMYK : TJPF_RGBA;
    int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
    if (tjDecompress2(decoder, bytes, size, pixels, width, width * 4, height, format, flags) != 0) {
        return fail(message, tjGetErrorStr2(decoder));
    }
    if (has_inks) print_inks(pixels, (size_t)width * height);
    return CTURBOJPEG_DECODED;
}

cturbojpeg_result cturbojpeg_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *pixels,
    char message[CTURBOJPEG_MESSAGE_SIZE]) {
    memset(message, 0, CTURBOJPEG_MESSAGE_SIZE);
    tjhandle decoder = tjInitDecompress();
    if (!decoder) return fail(message, "out of memory");
    cturbojpeg_result result = decode(decoder, bytes, size, width, height, pixels, message);
    tjDestroy(decoder);
    return result;
}
