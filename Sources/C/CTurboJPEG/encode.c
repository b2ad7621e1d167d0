#include "CTurboJPEG.h"

#include <turbojpeg.h>

// The lowest quality with colours at full resolution. From here on, half the resolution would cost more visible quality
// than it saves bytes.
enum { FULL_COLOR = 90 };

uint8_t *cturbojpeg_encode(const uint8_t *pixels, int width, int height, int quality, bool is_gray, size_t *size) {
    tjhandle encoder = tjInitCompress();
    if (!encoder) return NULL;
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    int sampling = is_gray ? TJSAMP_GRAY : quality >= FULL_COLOR ? TJSAMP_444 : TJSAMP_420;
    int flags = TJFLAG_ACCURATEDCT | TJFLAG_PROGRESSIVE;
    int failure =
        tjCompress2(encoder, pixels, width, width * 4, height, TJPF_RGBX, &bytes, &count, sampling, quality, flags);
    tjDestroy(encoder);
    if (failure) {
        tjFree(bytes);
        return NULL;
    }
    *size = count;
    return bytes;
}

void cturbojpeg_free(uint8_t *bytes) {
    tjFree(bytes);
}
