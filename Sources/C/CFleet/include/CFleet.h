// fleet.lua, the script that Redis runs for a fleet, as bytes in the program. Here because Swift has no #embed.
#ifndef CFLEET_H
#define CFLEET_H

// The file as UTF-8, with a zero behind it. Valid for the life of the process.
const char *cfleet_script(void);

#endif
