#include "CWebP.h"

#include <webp/decode.h>

static cwebp_result result(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OK: return CWEBP_DECODED;
    case VP8_STATUS_OUT_OF_MEMORY: return CWEBP_NO_MEMORY;
    case VP8_STATUS_NOT_ENOUGH_DATA: return CWEBP_CUT_OFF;
    default: return CWEBP_BROKEN;
    }
}

cwebp_result cwebp_decode(
    const uint8_t *bytes, size_t size, int width, int height, size_t stride, uint8_t *pixels) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CWEBP_BROKEN;
    VP8StatusCode status = WebPGetFeatures(bytes, size, &config.input);
    if (status != VP8_STATUS_OK) return result(status);
    if (config.input.has_animation) return CWEBP_ANIMATED;
    if (config.input.width != width || config.input.height != height) return CWEBP_OTHER_SIZE;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (height - 1) + (size_t)width * 4;
    status = WebPDecode(bytes, size, &config);
    WebPFreeDecBuffer(&config.output);
    return result(status);
}
