/* Commits the fault that its argument names. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int table[4] = {1, 2, 3, 4};

static int overflow(int n)
{
    return INT_MAX - 1 + n; /* fault: overflow */
}

static int beyond_table(int n)
{
    return table[n + 2]; /* fault: table */
}

static int beyond_block(int n)
{
    int *block = malloc(2 * sizeof *block);
    int read;

    if (!block)
        return 0;
    block[0] = block[1] = n;
    read = block[n]; /* fault: block */
    free(block);
    return read;
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "";
    int n = argc; /* 2, which the compiler cannot know */

    if (strcmp(fault, "overflow") == 0)
        printf("%d\n", overflow(n));
    else if (strcmp(fault, "table") == 0)
        printf("%d\n", beyond_table(n));
    else if (strcmp(fault, "block") == 0)
        printf("%d\n", beyond_block(n));
    return 0;
}
