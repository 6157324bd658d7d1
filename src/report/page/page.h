/* The HTML page: one file that contains a run, a comparison, several builds, a check or
 * the checks of a list, and all the code to show them. */
#pragma once

#include "report/subject/subject.h"

/** Writes the page. If a picture cannot be laid out, the page shows the reason
 * instead. */
void fsd_page_write(const struct fsd_report *report, FILE *out);

/** Prints, as one JSON object, the other texts that a page needs. The documents of its
 * subjects do not contain these texts. texts.c
 * @param findings the page explains the rules of these findings; NULL: none */
void fsd_page_put_texts(const struct fsd_report *report,
                        const struct fsd_findings *findings, FILE *out);

/** Begins to lay out the pictures of a page, in other processes, while the caller
 * continues. pictures.c
 * @param json receives the pictures as JSON, until fsd_album_end() returns */
struct fsd_album *fsd_album_begin(const struct fsd_report *report, FILE *json);
void fsd_album_end(struct fsd_album *album);

/** The source of the page: the part before the data, and the part after the data.
 * embed.cmake makes the two parts from the files of this folder. */
extern const unsigned char fsd_page_head[], fsd_page_tail[];
extern const size_t fsd_page_head_size, fsd_page_tail_size;
