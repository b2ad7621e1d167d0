// nghttp2, which reads and writes the frames of HTTP/2 (RFC 9113).
#ifndef CNGHTTP2_H
#define CNGHTTP2_H

#include <nghttp2/nghttp2.h>

// Makes a server's session with the limits of this program (docs/spec/threats.md). `callbacks` stays the caller's.
// Returns NULL if memory runs out.
nghttp2_session *http2_session_new(const nghttp2_session_callbacks *callbacks, void *user_data);

// Sets fields to the header fields of a response, from its head in HTTP/1.1, which has size bytes. Changes the names in
// the head to lower case, and refers to the bytes of the head. Fields that differ in many responses are marked, so that
// they are not added to the table of HPACK (RFC 7541). Returns the number of fields, which is at most `most`.
size_t http2_fields(uint8_t *head, size_t size, nghttp2_nv *fields, size_t most);

#endif
