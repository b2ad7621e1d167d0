#include "CFriBidi.h"

#include <fribidi/fribidi.h>
#include <stdlib.h>

bool cfribidi_levels(const uint32_t *scalars, int32_t count, int8_t *levels) {
    FriBidiCharType *types = malloc((size_t)count * sizeof *types);
    FriBidiBracketType *brackets = malloc((size_t)count * sizeof *brackets);
    FriBidiLevel most = 0;
    if (types && brackets) {
        FriBidiParType direction = FRIBIDI_PAR_ON;
        fribidi_get_bidi_types(scalars, count, types);
        fribidi_get_bracket_types(scalars, count, types, brackets);
        most = fribidi_get_par_embedding_levels_ex(types, brackets, count, &direction, levels);
    }
    free(types);
    free(brackets);
    return most > 0;
}
