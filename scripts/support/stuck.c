// A library that is preloaded into the server. While the file STUCK_FILE exists, a thread that accepts a connection hangs.
// Reactors accept connections.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    int (*original)(int, struct sockaddr *, socklen_t *, int) = dlsym(RTLD_NEXT, "accept4");
    const char *file = getenv("STUCK_FILE");
    while (file && access(file, F_OK) == 0) usleep(10000);
    return original(descriptor, address, length, flags);
}
