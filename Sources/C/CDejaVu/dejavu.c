#include "CDejaVu.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler records the font as a dependency of this file, so a change of the font rebuilds this file.
static const uint8_t bytes[] = {
#embed "DejaVuSans.ttf"
};

const uint8_t *cdejavu_bytes(size_t *size) {
    *size = sizeof bytes;
    return bytes;
}
