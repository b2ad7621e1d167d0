/* A minimal server: one thread, one epoll, a receive and a send for each request. It ignores the request's content.
 *
 *     echo PORT FILE     sends the bytes of FILE for each request that ends in an empty line, one request at a time
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 65536, EVENTS = 256 };

static char *answer;
static size_t answer_length;
/* Unsent bytes of each connection's response. */
static size_t left[DESCRIPTORS];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void read_answer(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) < 0) fail(path);
    answer_length = status.st_size;
    answer = malloc(answer_length);
    if (answer == NULL || read(file, answer, answer_length) != (ssize_t)answer_length) fail(path);
    close(file);
}

/* 0 where the connection is at its end. */
static int answer_to(int connection) {
    static char request[65536];
    if (left[connection] == 0) {
        ssize_t count = recv(connection, request, sizeof request, 0);
        if (count < 0 && errno == EAGAIN) return 1;
        if (count <= 0) return 0;
        if (count < 4 || memcmp(request + count - 4, "\r\n\r\n", 4) != 0) return 0;
        left[connection] = answer_length;
    }
    ssize_t sent = send(connection, answer + answer_length - left[connection], left[connection], MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    left[connection] -= sent;
    return 1;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: echo PORT FILE\n");
        return 64;
    }
    read_answer(arguments[2]);
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4096) < 0) fail("listen");
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int index = 0; index < ready; index++) {
            int connection = events[index].data.fd;
            if (connection != listener) {
                /* Edge-triggered, as a fast server has it: a wrk that has its answer asks anew, which is a new edge. */
                if (!answer_to(connection)) close(connection);
                continue;
            }
            while ((connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                if (connection >= DESCRIPTORS) {
                    close(connection);
                    continue;
                }
                left[connection] = 0;
                setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                event = (struct epoll_event){.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = connection};
                epoll_ctl(poll, EPOLL_CTL_ADD, connection, &event);
            }
        }
    }
}
