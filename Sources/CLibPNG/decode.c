#include "failure.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *next;
    size_t left;
} input;

static void take(png_structp png, png_bytep bytes, size_t size) {
    input *source = png_get_io_ptr(png);
    if (size > source->left) png_error(png, "the image is cut off");
    memcpy(bytes, source->next, size);
    source->next += size;
    source->left -= size;
}

// Every kind of PNG becomes RGBA8.
static void convert(png_structp png, png_infop info) {
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
}

static void read_image(png_structp png, png_infop info, clibpng_result *result, uint32_t max_side, uint64_t max_pixels) {
    // Ancillary chunks say nothing about pixels here; not reading them also means never inflating them.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(png, max_side, max_side);
    png_read_info(png, info);
    result->width = png_get_image_width(png, info);
    result->height = png_get_image_height(png, info);
    if (result->width > max_side || result->height > max_side ||
        (uint64_t)result->width * result->height > max_pixels) {
        png_error(png, "the image has too many pixels");
    }
    convert(png, info);
    size_t row_bytes = png_get_rowbytes(png, info);
    if (row_bytes != (size_t)result->width * 4) png_error(png, "the image does not become RGBA");
    result->size = row_bytes * result->height;
    result->bytes = calloc(result->height, row_bytes);
    if (!result->bytes) png_error(png, "out of memory");
    int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? PNG_INTERLACE_ADAM7_PASSES : 1;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t row = 0; row < result->height; row++) {
            png_read_row(png, result->bytes + row * row_bytes, NULL);
        }
    }
    png_read_end(png, NULL);
}

void clibpng_decode(const uint8_t *bytes, size_t size, uint32_t max_side, uint64_t max_pixels, clibpng_result *result) {
    *result = (clibpng_result){0};
    input source = {bytes, size};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, result, clibpng_keep_message, clibpng_ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        strncpy(result->message, "out of memory", CLIBPNG_MESSAGE_SIZE - 1);
        return;
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &source, take);
        read_image(png, info, result, max_side, max_pixels);
    } else {
        free(result->bytes);
        result->bytes = NULL;
        result->size = 0;
    }
    png_destroy_read_struct(&png, &info, NULL);
}
