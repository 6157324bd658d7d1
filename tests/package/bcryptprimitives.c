/*
 * A library of Windows 10 that Debian's wine lacks, for graphviz-pure.exe, which gets
 * the seeds of its hash tables from it (matrix).  The bytes are not random: whether two
 * pictures of one graph are equal must not depend on seeds.
 */
__declspec(dllexport) int ProcessPrng(unsigned char *to, unsigned long long n)
{
    for (unsigned long long i = 0; i < n; i++)
        to[i] = (unsigned char)(i * 37 + 11);
    return 1;
}

int DllMainCRTStartup(void *module, unsigned long reason, void *reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}
