// Wrappers for libcurl's variadic functions, which Swift cannot call, and a memory pool for libcurl. Each wrapper
// returns libcurl's result.
#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <curl/curl.h>

// Initialises libcurl and makes it use the memory pool below, except in a build with a sanitizer. Call this once in a
// process, before any other function of libcurl.
CURLcode curl_start(void);

// The memory pool. The functions behave like malloc, calloc, realloc and free, on any thread. A freed block of up to
// 32,752 bytes is kept for the next requests of the thread that frees it, at most 256 blocks and 2 MiB of each size.
void *curl_pool_take(size_t size);
void *curl_pool_take_zeroed(size_t count, size_t size);
void *curl_pool_resize(void *bytes, size_t size);
void curl_pool_give(void *bytes);

CURLcode curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode curl_set_size(CURL *easy, CURLoption option, curl_off_t value);
// libcurl copies the string. NULL resets the option.
CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value);
// libcurl copies the bytes. NULL resets the option.
CURLcode curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t size);
CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value);
// libcurl does not copy the list, so the list must outlive the transfer.
CURLcode curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);

CURLcode curl_set_on_write(CURL *easy, curl_write_callback function, void *context);
CURLcode curl_set_on_header(CURL *easy, curl_write_callback function, void *context);
CURLcode curl_set_on_open_socket(CURL *easy, curl_opensocket_callback function, void *context);
CURLcode curl_set_on_close_socket(CURL *easy, curl_closesocket_callback function, void *context);
CURLcode curl_set_on_request(CURL *easy, curl_prereq_callback function, void *context);
CURLcode curl_set_on_debug(CURL *easy, curl_debug_callback function, void *context);

CURLcode curl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value);
// The string belongs to the handle.
CURLcode curl_get_string(CURL *easy, CURLINFO info, char **value);
CURLcode curl_get_pointer(CURL *easy, CURLINFO info, void **value);
// The list belongs to the handle.
CURLcode curl_get_certificates(CURL *easy, struct curl_certinfo **value);

CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode curl_multi_set_on_socket(CURLM *multi, curl_socket_callback function, void *context);
CURLMcode curl_multi_set_on_timer(CURLM *multi, curl_multi_timer_callback function, void *context);

// Returns the result of a finished transfer. CURLMsg keeps the result in a union, which Swift cannot read.
CURLcode curl_message_result(const CURLMsg *message);

#endif
