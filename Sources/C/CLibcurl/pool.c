#include "CLibcurl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A memory pool for libcurl. libcurl allocates and frees dozens of blocks for each request, among them its receive
// buffer. malloc may split a larger block for each of them, and merge the free blocks again.
//
// The pool's blocks have sizes of powers of two, header included. The header contains the kind, which is the size's
// exponent minus SMALLEST. A freed block waits on a list of the thread that has freed it, for that thread's next
// request. A block that finds a full list goes to free, and so does each block above the largest size.

enum {
    SMALLEST = 5,  // 2^5 bytes, header included
    LARGEST = 15,
    KINDS = LARGEST - SMALLEST + 1,
    NONE = KINDS,      // the kind of larger blocks
    KEPT = 1 << 21,    // maximum bytes of a kind that a thread keeps
    KEPT_COUNT = 256,  // maximum blocks of a kind that a thread keeps
};

// The header before each block. Its size keeps the block aligned for any type, like the blocks of malloc.
typedef union header {
    struct {
        size_t kind;
        size_t size;  // bytes that the caller has requested
    } used;
    union header *next;
} __attribute__((aligned(16))) header;

typedef struct {
    header *first[KINDS];
    unsigned count[KINDS];
} pool;

static pthread_key_t key;
static bool has_key;
static _Thread_local pool *own;
// True while the thread ends. The pool keeps no more blocks for this thread then.
static _Thread_local bool is_over;

static size_t kind_of(size_t size) {
    size_t whole = size + sizeof(header);
    if (whole < size || whole > (size_t)1 << LARGEST) return NONE;
    if (whole <= (size_t)1 << SMALLEST) return 0;
    return 64 - (size_t)__builtin_clzll(whole - 1) - SMALLEST;
}

static void drop(void *argument) {
    pool *dropped = argument;
    own = NULL;
    is_over = true;
    for (size_t kind = 0; kind < KINDS; kind++) {
        while (dropped->first[kind]) {
            header *block = dropped->first[kind];
            dropped->first[kind] = block->next;
            free(block);
        }
    }
    free(dropped);
}

static pool *pool_of_thread(void) {
    if (own || is_over || !has_key) return own;
    pool *fresh = calloc(1, sizeof(pool));
    // Without the key, the thread's end would not free the pool.
    if (fresh && pthread_setspecific(key, fresh) != 0) {
        free(fresh);
        return NULL;
    }
    return own = fresh;
}

static void *take(size_t size) {
    size_t kind = kind_of(size);
    header *block = NULL;
    pool *pool = own;
    if (kind != NONE && pool && pool->first[kind]) {
        block = pool->first[kind];
        pool->first[kind] = block->next;
        pool->count[kind]--;
    } else {
        size_t whole = kind == NONE ? size + sizeof(header) : (size_t)1 << (kind + SMALLEST);
        if (whole >= size) block = malloc(whole);
    }
    if (!block) return NULL;
    block->used.kind = kind;
    block->used.size = size;
    return block + 1;
}

static void keep(void *bytes) {
    header *block = (header *)bytes - 1;
    size_t kind = block->used.kind;
    pool *pool = kind == NONE ? NULL : pool_of_thread();
    if (!pool || pool->count[kind] >= KEPT_COUNT || pool->count[kind] >= KEPT >> (kind + SMALLEST)) return free(block);
    block->next = pool->first[kind];
    pool->first[kind] = block;
    pool->count[kind]++;
}

// Checks for null first, because most pointers that libcurl frees for a request are null.
static void give(void *bytes) {
    if (bytes) keep(bytes);
}

static void *resize(void *bytes, size_t size) {
    if (!bytes) return take(size);
    header *block = (header *)bytes - 1;
    if (block->used.kind != NONE && block->used.kind == kind_of(size)) {
        block->used.size = size;
        return bytes;
    }
    void *larger = take(size);
    if (!larger) return NULL;
    memcpy(larger, bytes, block->used.size < size ? block->used.size : size);
    give(bytes);
    return larger;
}

static char *duplicate(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = take(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void *take_zeroed(size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) return NULL;
    void *bytes = take(whole);
    return bytes ? memset(bytes, 0, whole) : NULL;
}

static void make_key(void) { has_key = pthread_key_create(&key, drop) == 0; }

CURLcode curl_start(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // A sanitizer must see each allocation, so libcurl uses malloc here.
    return curl_global_init(CURL_GLOBAL_ALL);
#else
    make_key();
    return curl_global_init_mem(CURL_GLOBAL_ALL, take, give, resize, duplicate, take_zeroed);
#endif
}

void *curl_pool_take(size_t size) { return take(size); }
void *curl_pool_take_zeroed(size_t count, size_t size) { return take_zeroed(count, size); }
void *curl_pool_resize(void *bytes, size_t size) { return resize(bytes, size); }
void curl_pool_give(void *bytes) { give(bytes); }
