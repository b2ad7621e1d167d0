#include "CHiredis.h"

#include <hiredis/read.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct reply_reader {
    redisReader *hiredis;
    size_t most_elements;
};

void reply_free(reply *reply) {
    if (!reply) return;
    for (size_t index = 0; index < reply->count; index++) reply_free(reply->elements[index]);
    free(reply->elements);
    free(reply->bytes);
    free(reply);
}

// Appends the element to its parent array. The array grows as elements arrive. Returns 0 if memory runs out, or if the
// parent is no array.
static int put(reply *element, const redisReadTask *task) {
    if (!task->parent) return 1;
    reply *array = task->parent->obj;
    if (!array || array->kind != REPLY_ARRAY) return 0;
    if (array->count == array->capacity) {
        size_t capacity = array->capacity ? array->capacity * 2 : 4;
        reply **elements = realloc(array->elements, capacity * sizeof *elements);
        if (!elements) return 0;
        array->elements = elements;
        array->capacity = capacity;
    }
    array->elements[array->count++] = element;
    return 1;
}

static reply *make(const redisReadTask *task, enum reply_kind kind, const char *bytes, size_t size) {
    reply *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->kind = kind;
    if (size > 0) {
        made->bytes = malloc(size);
        if (!made->bytes) goto failed;
        memcpy(made->bytes, bytes, size);
        made->size = size;
    }
    if (put(made, task)) return made;
failed:
    reply_free(made);
    return NULL;
}

// hiredis calls the following functions to make replies. It takes NULL for lack of memory: it frees the unfinished
// reply, and the reader fails from then on.

static void *make_string(const redisReadTask *task, char *bytes, size_t size) {
    enum reply_kind kind = task->type == REDIS_REPLY_ERROR    ? REPLY_ERROR
                           : task->type == REDIS_REPLY_STATUS ? REPLY_STATUS
                                                              : REPLY_BYTES;
    return make(task, kind, bytes, size);
}

static void *make_array(const redisReadTask *task, int count) {
    const reply_reader *reader = task->privdata;
    if (count < 0 || (size_t)count > reader->most_elements) return NULL;
    return make(task, REPLY_ARRAY, NULL, 0);
}

static void *make_integer(const redisReadTask *task, long long value) {
    reply *made = make(task, REPLY_INTEGER, NULL, 0);
    if (made) made->integer = value;
    return made;
}

static void *make_null(const redisReadTask *task) { return make(task, REPLY_NULL, NULL, 0); }

static void free_object(void *object) { reply_free(object); }

static redisReplyObjectFunctions functions = {make_string, make_array, make_integer, make_null, free_object};

reply_reader *reply_reader_new(size_t most_elements) {
    reply_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->most_elements = most_elements;
    reader->hiredis = redisReaderCreateWithFunctions(&functions);
    if (!reader->hiredis) {
        free(reader);
        return NULL;
    }
    reader->hiredis->privdata = reader;
    return reader;
}

void reply_reader_free(reply_reader *reader) {
    if (!reader) return;
    redisReaderFree(reader->hiredis);
    free(reader);
}

int reply_reader_feed(reply_reader *reader, const void *bytes, size_t size) {
    return redisReaderFeed(reader->hiredis, bytes, size) == REDIS_OK;
}

enum reply_reading reply_reader_next(reply_reader *reader, reply **next) {
    void *object = NULL;
    if (redisReaderGetReply(reader->hiredis, &object) != REDIS_OK) return REPLY_BROKEN;
    if (!object) return REPLY_INCOMPLETE;
    *next = object;
    return REPLY_WHOLE;
}

size_t reply_reader_unread(const reply_reader *reader) {
    return reader->hiredis->len - reader->hiredis->pos;
}
