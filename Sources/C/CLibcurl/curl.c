#include "CLibcurl.h"

CURLcode curl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
CURLcode curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t size) {
    struct curl_blob blob = {.data = (void *)bytes, .len = size, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, bytes ? &blob : NULL);
}
CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }
CURLcode curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// The following functions set the context before the callback, so libcurl never calls a callback with another context.
CURLcode curl_set_on_write(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}
CURLcode curl_set_on_header(CURL *easy, curl_write_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
}
CURLcode curl_set_on_open_socket(CURL *easy, curl_opensocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}
CURLcode curl_set_on_close_socket(CURL *easy, curl_closesocket_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}
CURLcode curl_set_on_request(CURL *easy, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}
CURLcode curl_set_on_debug(CURL *easy, curl_debug_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}

CURLcode curl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
CURLcode curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) { return curl_easy_getinfo(easy, info, value); }
CURLcode curl_get_string(CURL *easy, CURLINFO info, char **value) { return curl_easy_getinfo(easy, info, value); }
CURLcode curl_get_pointer(CURL *easy, CURLINFO info, void **value) { return curl_easy_getinfo(easy, info, value); }
CURLcode curl_get_certificates(CURL *easy, struct curl_certinfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}

CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
CURLMcode curl_multi_set_on_socket(CURLM *multi, curl_socket_callback function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}
CURLMcode curl_multi_set_on_timer(CURLM *multi, curl_multi_timer_callback function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

CURLcode curl_message_result(const CURLMsg *message) { return message->data.result; }
