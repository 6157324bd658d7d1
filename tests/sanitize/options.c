/* Default options of the address sanitizer for all programs that the tests start. */
const char *__asan_default_options(void);

/* Undefined behaviour ends a program by an illegal instruction, for which the address
 * sanitizer prints the file, the line and the calls.  No verb ends with status 99, so
 * that no test takes a fault for an error that the program itself reports.  The
 * sanitizer only finds a visible function. */
__attribute__((weak, visibility("default"))) const char *__asan_default_options(void)
{
    return "handle_sigill=1:exitcode=99";
}
