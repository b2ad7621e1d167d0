// Work before the first line of Swift and, except in a build with a sanitizer, before the constructors of the linked
// libraries. These constructors can take tens of milliseconds, and a signal during this time would end the process.
// Only the program `tileserver` is linked with this module. A program that embeds the server keeps its own signal
// handling.
//
// The module does two things:
//
// - It blocks SIGHUP, SIGTERM and SIGINT in the main thread, and so in every later thread. The signals stay pending
//   until `serve` reads them. An early SIGHUP becomes a reload. Process 1 of a container can be stopped, although the
//   kernel drops signals for it that are neither blocked nor handled.
// - It opens those of the descriptors 0, 1 and 2 that are closed. Otherwise the next file or socket would get the
//   number of a closed one, and log lines would go there.
#ifndef CSTARTUP_H
#define CSTARTUP_H

// Unblocks the three signals, so pending and later signals have their default effect. Commands other than `serve` call
// this on the main thread.
void startup_unblock_signals(void);

#endif
