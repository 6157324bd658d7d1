/* The page's source, as embed.cmake makes it of the files beside this one: what stands
 * before the data, and what stands behind it. */
#ifndef FSD_REPORT_PAGE_SOURCE_H
#define FSD_REPORT_PAGE_SOURCE_H

#include <stddef.h>

extern const unsigned char fsd_page_head[], fsd_page_tail[];
extern const size_t fsd_page_head_size, fsd_page_tail_size;

#endif
