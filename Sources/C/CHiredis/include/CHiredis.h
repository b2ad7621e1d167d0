// The reply reader of hiredis, with other functions that make replies. The functions of hiredis trust the array counts
// that it reads. These functions allocate memory only for elements that have arrived.
#ifndef CHIREDIS_H
#define CHIREDIS_H

#include <stddef.h>

enum reply_kind { REPLY_NULL, REPLY_INTEGER, REPLY_STATUS, REPLY_BYTES, REPLY_ARRAY, REPLY_ERROR };

// A reply, or an element of an array. It does not change after the reader has returned it.
typedef struct reply {
    enum reply_kind kind;
    long long integer;
    // Content of a status, an error or bytes, without a terminating zero. NULL if size is 0.
    char *bytes;
    size_t size;
    // Elements of an array: count of them, in memory for capacity elements.
    struct reply **elements;
    size_t count;
    size_t capacity;
} reply;

typedef struct reply_reader reply_reader;

enum reply_reading {
    REPLY_WHOLE,
    REPLY_INCOMPLETE,
    // The bytes are not a reply, an array is too long or nested too deep, or memory has run out. The reader cannot be
    // used any more.
    REPLY_BROKEN,
};

// Makes a reader that refuses arrays of more than most_elements elements. hiredis 0.14 itself refuses an array that
// lies inside eight others. Returns NULL if memory runs out.
reply_reader *reply_reader_new(size_t most_elements);
void reply_reader_free(reply_reader *reader);

// Appends a copy of size bytes to the unread bytes. Returns 0 if memory runs out or the reader is broken.
int reply_reader_feed(reply_reader *reader, const void *bytes, size_t size);

// Reads the next reply into *next if the result is REPLY_WHOLE. The caller frees the reply with reply_free.
enum reply_reading reply_reader_next(reply_reader *reader, reply **next);
void reply_free(reply *reply);

// Returns the number of buffered bytes that the reader has not parsed yet.
size_t reply_reader_unread(const reply_reader *reader);

#endif
