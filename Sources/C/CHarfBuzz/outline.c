#include "CHarfBuzz.h"

#include <pthread.h>

typedef struct {
    charfbuzz_sink sink;
    void *data;
} receiver;

static void pass(void *to, charfbuzz_command command, const float *points) {
    const receiver *found = to;
    found->sink(found->data, command, points);
}

static void move_to(hb_draw_funcs_t *functions, void *to, hb_draw_state_t *state, float x, float y, void *data) {
    (void)functions, (void)state, (void)data;
    pass(to, CHARFBUZZ_MOVE, (float[]){x, y});
}

static void line_to(hb_draw_funcs_t *functions, void *to, hb_draw_state_t *state, float x, float y, void *data) {
    (void)functions, (void)state, (void)data;
    pass(to, CHARFBUZZ_LINE, (float[]){x, y});
}

static void quadratic_to(
    hb_draw_funcs_t *functions, void *to, hb_draw_state_t *state, float x1, float y1, float x, float y, void *data) {
    (void)functions, (void)state, (void)data;
    pass(to, CHARFBUZZ_QUADRATIC, (float[]){x1, y1, x, y});
}

static void cubic_to(
    hb_draw_funcs_t *functions, void *to, hb_draw_state_t *state, float x1, float y1, float x2, float y2, float x,
    float y, void *data) {
    (void)functions, (void)state, (void)data;
    pass(to, CHARFBUZZ_CUBIC, (float[]){x1, y1, x2, y2, x, y});
}

static hb_draw_funcs_t *functions;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void) {
    functions = hb_draw_funcs_create();
    hb_draw_funcs_set_move_to_func(functions, move_to, NULL, NULL);
    hb_draw_funcs_set_line_to_func(functions, line_to, NULL, NULL);
    hb_draw_funcs_set_quadratic_to_func(functions, quadratic_to, NULL, NULL);
    hb_draw_funcs_set_cubic_to_func(functions, cubic_to, NULL, NULL);
    hb_draw_funcs_make_immutable(functions);
}

void charfbuzz_outline(hb_font_t *font, hb_codepoint_t glyph, charfbuzz_sink sink, void *data) {
    pthread_once(&made, make);
    receiver to = {sink, data};
    hb_font_get_glyph_shape(font, glyph, functions, &to);
}
