#include "CNGHTTP2.h"

#include <string.h>

nghttp2_session *http2_session_new(const nghttp2_session_callbacks *callbacks, void *user_data) {
    nghttp2_option *option;
    nghttp2_session *session = NULL;
    if (nghttp2_option_new(&option)) return NULL;
    nghttp2_option_set_max_outbound_ack(option, 100);
    nghttp2_option_set_max_settings(option, 32);
    nghttp2_option_set_max_continuations(option, 8);
    nghttp2_option_set_max_deflate_dynamic_table_size(option, 4096);
    // The server counts resets itself.
    nghttp2_option_set_stream_reset_rate_limit(option, 1000000, 1000000);
    // A browser may send PRIORITY_UPDATE (RFC 9218 7) when a tile comes into view.
    nghttp2_option_set_builtin_recv_extension_type(option, NGHTTP2_PRIORITY_UPDATE);
    // A closed stream is of no further use: priorities come from RFC 9218.
    nghttp2_option_set_no_closed_streams(option, 1);
    if (nghttp2_session_server_new2(&session, callbacks, user_data, option)) session = NULL;
    nghttp2_option_del(option);
    return session;
}

static int is_one_of(const uint8_t *name, size_t size, const char *const *names) {
    for (; *names; names++)
        if (strlen(*names) == size && memcmp(name, *names, size) == 0) return 1;
    return 0;
}

size_t http2_fields(uint8_t *head, size_t size, nghttp2_nv *fields, size_t most) {
    static const char *const changing[] = {"x-request-id", "etag", "content-length", "x-tile", "age", "server-timing", NULL};
    uint8_t *end = head + size, *line = memchr(head, '\n', size);
    // The status line begins with "HTTP/1.1 ", and the status has three digits.
    if (!line || size < 13 || most < 1) return 0;
    size_t count = 0;
    fields[count++] = (nghttp2_nv){(uint8_t *)":status", head + 9, 7, 3, NGHTTP2_NV_FLAG_NONE};
    for (line++; line < end && count < most;) {
        uint8_t *next = memchr(line, '\n', (size_t)(end - line)), *colon = memchr(line, ':', (size_t)(end - line));
        if (!next || !colon || colon > next) break;
        uint8_t *value = colon + 1, *last = next;
        while (value < last && *value == ' ') value++;
        while (last > value && (last[-1] == '\r' || last[-1] == ' ')) last--;
        for (uint8_t *byte = line; byte < colon; byte++)
            if (*byte >= 'A' && *byte <= 'Z') *byte |= 0x20;
        size_t length = (size_t)(colon - line);
        uint8_t flags = is_one_of(line, length, changing) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
        fields[count++] = (nghttp2_nv){line, value, length, (size_t)(last - value), flags};
        line = next + 1;
    }
    return count;
}
