#include "failure.h"

#include <string.h>

void clibpng_keep_message(png_structp png, png_const_charp message) {
    clibpng_result *result = png_get_error_ptr(png);
    strncpy(result->message, message, CLIBPNG_MESSAGE_SIZE - 1);
    png_longjmp(png, 1);
}

void clibpng_ignore_warning(png_structp png, png_const_charp message) {
    // libpng continues after a warning. Without this function it would print the warning on standard error.
    (void)png;
    (void)message;
}

void clibpng_refuse_extra_data(png_structp png, png_const_charp message) {
    // IDAT has data after the last row. libpng only warns, but the image is damaged or a decompression bomb.
    if (strcmp(message, "Extra compressed data in IDAT") == 0) clibpng_keep_message(png, message);
}
