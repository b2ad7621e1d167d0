#include "CFleet.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler records fleet.lua as a dependency of this file, so a change of the script rebuilds this file.
static const unsigned char script[] = {
#embed "fleet.lua" suffix(, 0)
};

const char *cfleet_script(void) { return (const char *)script; }
