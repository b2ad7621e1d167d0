// The callbacks with which the encoder and the decoder report libpng's errors.
#ifndef CLIBPNG_FAILURE_H
#define CLIBPNG_FAILURE_H

#include "CLibPNG.h"
#include <png.h>

// Callbacks for libpng. The error pointer must be a clibpng_result.

// Copies the message into the result and jumps to the caller's setjmp.
void clibpng_keep_message(png_structp png, png_const_charp message);
// Ignores a warning.
void clibpng_ignore_warning(png_structp png, png_const_charp message);
// Treats compressed rows after the last row as an error, and ignores other warnings.
void clibpng_refuse_extra_data(png_structp png, png_const_charp message);

#endif
