// What must be done before the first line of Swift, and before the constructors of the libraries that the program is linked
// with: those alone take tens of milliseconds, in which a signal would end the process. Only the program is linked with this; a
// program that embeds the server keeps its signals as they are.
//
// By then
//
// - SIGHUP, SIGTERM and SIGINT are blocked, in this thread and so in every later one. They wait until `serve` hears them: a
//   SIGHUP that comes early becomes a reload, and process 1 of a container, whose unheard signals are lost, can be stopped.
// - Descriptors 0, 1 and 2 are open. Where one is not, the next file or socket would get its number, and log lines with it.
#ifndef CSTARTUP_H
#define CSTARTUP_H

// Has the signals that wait, and later ones, do what they do by default. For commands that are no servers; to be called on the
// main thread.
void startup_unblock_signals(void);

#endif
