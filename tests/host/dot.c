/* Stands for Graphviz where it cannot be run: reads DOT and writes how much of it, in
 * the format that it is asked for, which has to be svg. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    unsigned long lines = 0;
    int c;

    while ((c = getchar()) != EOF)
        lines += c == '\n';
    if (argc < 2 || strncmp(argv[1], "-T", 2) != 0)
        return 2;
    fprintf(stderr, "Fontconfig warning: none of dot's\n");
    printf("<svg as=\"%s\" lines=\"%lu\"/>", argv[1] + 2, lines);
    return strcmp(argv[1], "-Tsvg") != 0;
}
