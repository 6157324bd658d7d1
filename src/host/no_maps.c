/* For systems that cannot map files, so that no mapped page can be lost. */
#include "host/host.h"

#include <errno.h>

void *fsd_host_map(int fd, size_t n)
{
    (void)fd, (void)n;
    errno = ENOSYS;
    return NULL;
}

void fsd_host_on_lost(unsigned char *(*lost)(const unsigned char *at))
{
    (void)lost;
}
