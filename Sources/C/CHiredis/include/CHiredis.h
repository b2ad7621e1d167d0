// The reply reader of hiredis, with the functions that make its replies. Here because Swift cannot keep what these make alive, and
// because hiredis trusts the counts that it reads: nothing is reserved for elements that have not come.
#ifndef CHIREDIS_H
#define CHIREDIS_H

#include <stddef.h>

enum reply_kind { REPLY_NULL, REPLY_INTEGER, REPLY_STATUS, REPLY_BYTES, REPLY_ARRAY, REPLY_ERROR };

// A reply, or an element of one. Immutable once it is read.
typedef struct reply {
    enum reply_kind kind;
    long long integer;
    // Of a status, an error or bytes: size bytes, which no zero ends. NULL where size is 0.
    char *bytes;
    size_t size;
    // Of an array.
    struct reply **elements;
    size_t count;
    size_t capacity;
} reply;

typedef struct reply_reader reply_reader;

enum reply_reading {
    REPLY_WHOLE,
    REPLY_INCOMPLETE,
    // No reply of Redis, one with an array that is too long or nested too deep, or no memory. Nothing can be read any more.
    REPLY_BROKEN,
};

// A reader whose arrays have at most most_elements elements each; hiredis refuses those nested more than seven deep. NULL where there
// is no memory.
reply_reader *reply_reader_new(size_t most_elements);
void reply_reader_free(reply_reader *reader);

// Copies size bytes behind those that were not read yet; 0 where there is no memory.
int reply_reader_feed(reply_reader *reader, const void *bytes, size_t size);

// The next reply, which the caller frees.
enum reply_reading reply_reader_next(reply_reader *reader, reply **next);
void reply_free(reply *reply);

// How many bytes are kept that belong to no reply yet.
size_t reply_reader_unread(const reply_reader *reader);

#endif
