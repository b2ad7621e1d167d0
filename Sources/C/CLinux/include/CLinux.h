// Functions of Linux that Glibc's Swift module lacks.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

// The Glibc module lacks these headers.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Sets up malloc for a process with a cache. All threads use one arena, so a new tile can reuse the memory of any freed
// tile. This arena grows and shrinks in steps of megabytes. Other arenas would grow page by page, with a system call
// each. Call this before the first thread starts. It is here because the Glibc module lacks <malloc.h> with mallopt.
void linux_tune_malloc(void);

// Sets the heap's step for a process with a memory limit of `bytes`. Below 512 MiB the heap grows and shrinks in
// smaller steps, and keeps less freed memory. Other threads may allocate meanwhile.
void linux_bound_malloc(size_t bytes);

// Returns whole pages of freed memory to the system, except one step at the heap's end for the next allocations. It
// visits all freed memory, and allocations of other threads wait meanwhile. It is here because malloc_trim is in
// <malloc.h> too.
void linux_trim_malloc(void);

// Accepts a connection as a non-blocking socket that is closed on exec. Returns -1 and sets errno like accept(2). It is
// here because accept4 needs _GNU_SOURCE.
int linux_accept(int listener, struct sockaddr *address, socklen_t *length);

// Reports how much the peer of a TCP socket has received (tcp(7), TCP_INFO). `confirmed` is the number of bytes that
// the peer has confirmed. `quiet` is about the time since the last confirmation, in milliseconds. `outstanding` tells
// whether unconfirmed bytes remain. Returns -1 and sets errno like getsockopt(2). It is here because Glibc's struct
// tcp_info ends before these fields.
int linux_tcp_progress(int socket, uint64_t *confirmed, uint32_t *quiet, int *outstanding);

// Sets the name of the calling thread in lists of threads. The kernel keeps 15 bytes of it. It is here because
// pthread_setname_np needs _GNU_SOURCE.
void linux_name_thread(const char *name);

// Renames a file like rename(2), but fails with EEXIST if `target` exists. Some file systems cannot do this and fail
// with EINVAL. It is here because renameat2 needs _GNU_SOURCE.
int linux_rename_new(const char *path, const char *target);

// Forces all files of the file system of `descriptor` to the disk. It is here because syncfs needs _GNU_SOURCE.
int linux_sync_filesystem(int descriptor);

#endif
