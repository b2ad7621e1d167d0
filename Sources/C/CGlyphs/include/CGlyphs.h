// The glyphs of the font: glyphs.txt, in the program. Here because Swift has no #embed.
#ifndef CGLYPHS_H
#define CGLYPHS_H

// The file as UTF-8, with a zero behind it. Valid for the life of the process.
const char *cglyphs_text(void);

#endif
