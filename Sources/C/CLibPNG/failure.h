// How both directions report libpng's errors.
#ifndef CLIBPNG_FAILURE_H
#define CLIBPNG_FAILURE_H

#include "CLibPNG.h"
#include <png.h>

// libpng's callbacks; their error pointer is the clibpng_result: its message is filled, and an error jumps.
void clibpng_keep_message(png_structp png, png_const_charp message);
void clibpng_ignore_warning(png_structp png, png_const_charp message);
void clibpng_refuse_extra_data(png_structp png, png_const_charp message);

#endif
