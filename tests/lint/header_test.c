/* Tests that the public header compiles when it is included first, without other
 * headers, and twice, and that its functions can be linked. */
#include <fusiondiff/fusiondiff.h>

#include <string.h>

int main(void)
{
    struct fsd_options options = {0};
    struct fsd_error error = {0};
    struct fsd_diff *diff = NULL;

    if (fsd_diff_open(&diff, &options, &error) != FSD_E_ARG || diff)
        return 1;
    for (int i = 0; i < FSD__STATUS_COUNT; i++)
        if (!strcmp(fsd_status_name((enum fsd_status)i), "unknown"))
            return 1;
    fsd_diff_free(diff);
    return strcmp(fsd_format_find("report.json"), "json") != 0;
}
