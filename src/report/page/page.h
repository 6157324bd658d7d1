/* The page: one HTML file that holds a run, a comparison, a matrix of builds, a check
 * or the checks of a list, and all it needs to show it. */
#pragma once

#include "report/subject/subject.h"

/** Writes the page. A picture that cannot be laid out is replaced by the reason. */
void fsd_page_write(const struct fsd_report *report, FILE *out);

/** Prints the JSON of a page's texts that are in no document of its subjects.
 * texts.c @param findings  findings whose rules are explained; NULL: none */
void fsd_page_put_texts(const struct fsd_report *report,
                        const struct fsd_findings *findings, FILE *out);

/** Begins and ends the drawings of a page, printed as JSON; they are laid out in
 * between, while other work continues.  pictures.c */
struct fsd_album *fsd_album_begin(const struct fsd_report *report, FILE *json);
void fsd_album_end(struct fsd_album *album);

/** The source of the page before and after its data, which embed.cmake joins from
 * the files of this folder. */
extern const unsigned char fsd_page_head[], fsd_page_tail[];
extern const size_t fsd_page_head_size, fsd_page_tail_size;
