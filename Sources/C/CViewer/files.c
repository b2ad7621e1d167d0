#include "CViewer.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// The compiler records these files as dependencies, so a change of a file rebuilds this source file.
static const uint8_t index_html[] = {
#embed "../../../web/index.html"
};
static const uint8_t missing_html[] = {
#embed "../../../web/missing.html"
};
static const uint8_t main_js[] = {
#embed "../../../web/bundles/main.js"
};
static const uint8_t worker_js[] = {
#embed "../../../web/bundles/events/worker.js"
};
static const uint8_t viewer_css[] = {
#embed "../../../web/viewer.css"
};
static const uint8_t favicon_svg[] = {
#embed "../../../web/favicon.svg"
};
static const uint8_t openapi_json[] = {
#embed "openapi.json"
};

static const cviewer_file files[] = {
    {"index.html", index_html, sizeof index_html},
    {"missing.html", missing_html, sizeof missing_html},
    {"main.js", main_js, sizeof main_js},
    {"events/worker.js", worker_js, sizeof worker_js},
    {"viewer.css", viewer_css, sizeof viewer_css},
    {"favicon.svg", favicon_svg, sizeof favicon_svg},
};

size_t cviewer_file_count(void) { return sizeof files / sizeof *files; }

cviewer_file cviewer_file_at(size_t index) { return files[index]; }

cviewer_file cviewer_openapi(void) { return (cviewer_file){"openapi.json", openapi_json, sizeof openapi_json}; }
