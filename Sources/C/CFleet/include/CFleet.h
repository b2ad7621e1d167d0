// The program contains fleet.lua, the script that Redis runs for a fleet. This is C because Swift has no #embed.
#ifndef CFLEET_H
#define CFLEET_H

// Returns the text of fleet.lua as UTF-8 with a terminating zero. The pointer is valid until the process ends.
const char *cfleet_script(void);

#endif
