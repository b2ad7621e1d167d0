// What Glibc's Swift module does not carry. Each function says why it is here.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

// Left out of the Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// mallopt lives in <malloc.h>, which the Glibc module leaves out. Sets the allocator up for a process that holds a cache:
// one arena, so that freed tiles are where the next one is looked for, which grows and shrinks in steps of megabytes (other
// arenas grow by single pages, a system call each). To be called before the first thread starts.
void linux_tune_malloc(void);

// Sets the heap's step for a process that may take `bytes` of memory: below 512 MiB the heap grows and shrinks in smaller
// steps, and keeps less freed memory. May be called while other threads allocate.
void linux_bound_malloc(size_t bytes);

// malloc_trim lives in <malloc.h> too. Gives whole pages of freed memory back to the system, wherever they lie, except one
// step of the heap, which the next allocations may use. Walks all freed memory. Allocations of other threads wait meanwhile.
void linux_trim_malloc(void);

// accept4 needs _GNU_SOURCE. Accepts a non-blocking socket that no child process inherits; -1 and errno as accept(2).
int linux_accept(int listener, struct sockaddr *address, socklen_t *length);

// Glibc's struct tcp_info ends before these fields. How far the peer of a TCP socket has taken what was sent (tcp(7), TCP_INFO): the
// bytes that it has confirmed, the milliseconds since it may have confirmed any, and whether bytes are outstanding. -1 and errno as
// getsockopt(2).
int linux_tcp_progress(int socket, uint64_t *confirmed, uint32_t *quiet, int *outstanding);

// pthread_setname_np needs _GNU_SOURCE. Names the calling thread in lists of threads; the system keeps 15 bytes.
void linux_name_thread(const char *name);

#endif
