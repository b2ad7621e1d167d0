#include "CWebP.h"

#include <webp/encode.h>

// Progress hook of libwebp. Returns 0 to end the work.
static int goes_on(int percent, const WebPPicture *picture) {
    (void)percent;
    const cwebp_picture *wanted = picture->user_data;
    return !wanted->is_wanted || wanted->is_wanted(wanted->context);
}

static bool configure(WebPConfig *config, const cwebp_picture *wanted) {
    if (!WebPConfigInit(config)) return false;
    if (wanted->quality >= 0) {
        config->method = 2;
        config->quality = (float)wanted->quality;
    } else {
        // Method 2 with quality 30 is the fastest setting that makes maps a fifth smaller than PNG (scripts/bench png).
        // It needs up to 46 bytes a pixel. The next setting saves 0.3 % of the bytes. But it needs 95 bytes a pixel
        // below 665,600 pixels, because its histograms cover smaller squares. The faster setting of is_lean needs 25
        // bytes a pixel, and 37 for an image of 65,536 pixels.
        config->lossless = 1;
        config->method = wanted->is_lean ? 0 : 2;
        config->quality = wanted->is_lean ? 20 : 30;
    }
    return WebPValidateConfig(config);
}

uint8_t *cwebp_encode(const cwebp_picture *wanted, const uint8_t *pixels, size_t *size) {
    WebPConfig config;
    WebPPicture picture;
    if (!configure(&config, wanted) || !WebPPictureInit(&picture)) return NULL;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.use_argb = config.lossless;
    picture.width = wanted->width;
    picture.height = wanted->height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    picture.progress_hook = goes_on;
    picture.user_data = (void *)wanted;
    int stride = wanted->width * 4;
    bool is_written = (wanted->has_alpha ? WebPPictureImportRGBA(&picture, pixels, stride)
                                         : WebPPictureImportRGBX(&picture, pixels, stride))
        && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    if (!is_written) {
        WebPMemoryWriterClear(&writer);
        return NULL;
    }
    *size = writer.size;
    return writer.mem;
}

void cwebp_free(uint8_t *bytes) {
    WebPFree(bytes);
}
