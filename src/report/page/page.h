/* The page: one HTML file that holds a run, a comparison, a matrix of builds, a check
 * or the checks of a list, and all it needs to show it. */
#ifndef FSD_REPORT_PAGE_PAGE_H
#define FSD_REPORT_PAGE_PAGE_H

#include "report/subject/subject.h"

/** Writes the page.  It lacks a picture that cannot be laid out, and states why. */
void fsd_page_write(const struct fsd_report *report, FILE *out);

/** What it has besides the documents of its subjects, as JSON.  texts.c
 *  @param findings  whose rules are explained; NULL: none */
void fsd_page_put_texts(const struct fsd_report *report,
                        const struct fsd_findings *findings, FILE *out);

/** The drawings for it, printed as JSON; they are laid out while other work continues
 *  until the end.  pictures.c */
struct fsd_album *fsd_album_begin(const struct fsd_report *report, FILE *json);
void fsd_album_end(struct fsd_album *album);

/** The page's source, as embed.cmake makes it of the files beside this one: what stands
 *  before the data, and what stands behind it. */
extern const unsigned char fsd_page_head[], fsd_page_tail[];
extern const size_t fsd_page_head_size, fsd_page_tail_size;

#endif
