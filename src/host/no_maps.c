/* For systems that cannot map files. They have no mapped pages that could be lost, and
 * no system call that copies a file. */
#include "host/host.h"

#include <errno.h>

void *fsd_host_map(int fd, size_t n)
{
    (void)fd, (void)n;
    errno = ENOSYS;
    return NULL;
}

uint64_t fsd_host_copy(int from, uint64_t at, int to, uint64_t n)
{
    (void)from, (void)at, (void)to, (void)n;
    return 0;
}

void fsd_host_on_lost(unsigned char *(*lost)(const unsigned char *at))
{
    (void)lost;
}
