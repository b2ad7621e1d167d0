#include "failure.h"

#include <string.h>

typedef struct {
    uint32_t width;
    uint32_t height;
    uint8_t *pixels;
    bool ended;
} reading;

// Checks the image's size, and makes libpng convert every kind of PNG to RGBA8.
static void on_info(png_structp png, png_infop info) {
    reading *target = png_get_progressive_ptr(png);
    if (png_get_image_width(png, info) != target->width || png_get_image_height(png, info) != target->height) {
        png_error(png, "the image has another size than its header said");
    }
    png_set_expand(png);
    // Keeps the upper byte of 16-bit channels, like Pillow. Rounding could differ from Pillow by one level.
    png_set_strip_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)target->width * 4) png_error(png, "the image does not become RGBA");
}

static void on_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
    (void)pass;
    reading *target = png_get_progressive_ptr(png);
    // The row is null if this pass of an interlaced image has no pixels for it.
    if (row && number < target->height) {
        png_progressive_combine_row(png, target->pixels + (size_t)number * target->width * 4, row);
    }
}

static void on_end(png_structp png, png_infop info) {
    (void)info;
    reading *target = png_get_progressive_ptr(png);
    target->ended = true;
}

static void read_image(png_structp png, png_infop info, reading *target, const uint8_t *bytes, size_t size) {
    // Ignores ancillary chunks except tRNS, because the others do not change the pixels here. Ignored chunks are also
    // never inflated.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(png, target->width, target->height);
    // The progressive reader inflates at most one row more than the image has. The other reader would inflate to the
    // end of IDAT.
    png_set_progressive_read_fn(png, target, on_info, on_row, on_end);
    png_process_data(png, info, (png_bytep)bytes, size);
    // libpng counts rows up to the image's height. In an interlaced image it counts passes up to 7.
    bool complete = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7
        ? png_get_current_pass_number(png) >= PNG_INTERLACE_ADAM7_PASSES
        : png_get_current_row_number(png) >= target->height;
    if (!target->ended || !complete) png_error(png, "fewer rows than the image is high");
}

bool clibpng_decode(
    const uint8_t *bytes, size_t size, uint32_t width, uint32_t height, uint8_t *pixels, clibpng_result *result) {
    *result = (clibpng_result){0};
    reading target = {width, height, pixels, false};
    png_structp png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, result, clibpng_keep_message, clibpng_refuse_extra_data);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        strncpy(result->message, "out of memory", CLIBPNG_MESSAGE_SIZE - 1);
        return false;
    }
    if (setjmp(png_jmpbuf(png)) == 0) read_image(png, info, &target, bytes, size);
    png_destroy_read_struct(&png, &info, NULL);
    return result->message[0] == 0;
}
