#include "failure.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    clibpng_result *result;
    size_t capacity;
} output;

static void append(png_structp png, png_bytep bytes, size_t size) {
    output *target = png_get_io_ptr(png);
    clibpng_result *result = target->result;
    if (size > target->capacity - result->size) {
        if (size > SIZE_MAX / 4 - target->capacity) png_error(png, "the image is too large");
        size_t capacity = (target->capacity + size) * 2;
        uint8_t *grown = realloc(result->bytes, capacity);
        if (!grown) png_error(png, "out of memory");
        result->bytes = grown;
        target->capacity = capacity;
    }
    memcpy(result->bytes + result->size, bytes, size);
    result->size += size;
}

static void flush(png_structp png) {
    (void)png;
}

static void write_palette(png_structp png, png_infop info, const clibpng_description *description) {
    png_color colors[256];
    for (int i = 0; i < description->palette_count && i < 256; i++) {
        colors[i].red = description->palette[i * 3];
        colors[i].green = description->palette[i * 3 + 1];
        colors[i].blue = description->palette[i * 3 + 2];
    }
    png_set_PLTE(png, info, colors, description->palette_count);
    if (description->alpha_count > 0) {
        png_set_tRNS(png, info, description->palette_alpha, description->alpha_count, NULL);
    }
}

static void write_key(png_structp png, png_infop info, const clibpng_description *description) {
    png_color_16 key = {0};
    key.gray = description->key[0];
    key.red = description->key[0];
    key.green = description->key[1];
    key.blue = description->key[2];
    png_set_tRNS(png, info, NULL, 0, &key);
}

// Writes an IDAT chunk like png_write_chunk, but computes the checksum with clibpng_crc.
static void write_data(png_structp png, const uint8_t *piece, size_t size) {
    uint8_t head[8] = {0, 0, 0, 0, 'I', 'D', 'A', 'T'};
    png_save_uint_32(head, (png_uint_32)size);
    append(png, head, sizeof head);
    append(png, (png_bytep)piece, size);
    // The checksum covers the chunk's type and data, which are adjacent in the result.
    output *target = png_get_io_ptr(png);
    uint8_t checksum[4];
    png_save_uint_32(checksum, clibpng_crc(target->result->bytes + target->result->size - size - 4, size + 4));
    append(png, checksum, sizeof checksum);
}

static void write_image(png_structp png, png_infop info, clibpng_stream *stream) {
    const clibpng_description *description = stream->description;
    png_set_IHDR(
        png, info, description->width, description->height, description->bit_depth, description->kind,
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (description->is_srgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (description->kind == CLIBPNG_PALETTE) write_palette(png, info, description);
    if (description->has_key) write_key(png, info, description);
    png_write_info(png, info);
    // Compresses the rows here, because libpng does not let callers use zlib's deflateTune.
    const uint8_t *piece;
    size_t size;
    while ((size = clibpng_next(stream, &piece)) > 0) write_data(png, piece, size);
    if (stream->failure) png_error(png, stream->failure);
    png_write_chunk(png, (png_const_bytep)"IEND", NULL, 0);
}

static void fail(clibpng_result *result, const char *message) {
    strncpy(result->message, message, CLIBPNG_MESSAGE_SIZE - 1);
}

static void write_png(clibpng_stream *stream, clibpng_result *result) {
    output target = {result, 0};
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, result, clibpng_keep_message, clibpng_ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        fail(result, "out of memory");
        return;
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, &target, append, flush);
        write_image(png, info, stream);
    } else {
        free(result->bytes);
        result->bytes = NULL;
        result->size = 0;
    }
    png_destroy_write_struct(&png, &info);
}

void clibpng_encode(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result) {
    *result = (clibpng_result){0};
    clibpng_stream stream;
    if (clibpng_begin(&stream, description, rows, row_bytes)) {
        write_png(&stream, result);
    } else {
        fail(result, "out of memory");
    }
    clibpng_end(&stream);
}

void clibpng_measure(
    const clibpng_description *description, const uint8_t *rows, size_t row_bytes, clibpng_result *result) {
    *result = (clibpng_result){0};
    clibpng_stream stream;
    const uint8_t *piece;
    if (clibpng_begin(&stream, description, rows, row_bytes)) {
        for (size_t size; (size = clibpng_next(&stream, &piece)) > 0;) result->size += size;
        if (stream.failure) {
            result->size = 0;
            fail(result, stream.failure);
        }
    } else {
        fail(result, "out of memory");
    }
    clibpng_end(&stream);
}
