#include "CFleet.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler notes this file as what this one depends on: a build has it as it is now.
static const unsigned char script[] = {
#embed "fleet.lua" suffix(, 0)
};

const char *cfleet_script(void) { return (const char *)script; }
