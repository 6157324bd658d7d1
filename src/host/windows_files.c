/*
 * Implements windows.h: the functions convert names from UTF-8 to UTF-16 and call
 * Windows' own functions.
 */
#include "host/files.h"

#undef DIR
#undef dirent
#undef opendir
#undef readdir
#undef closedir
#include <dirent.h>

#include <errno.h>
#include <fusiondiff/fusiondiff.h>
#include <stdarg.h>
#include <windows.h>

#undef stat

/* ---------------------------------------------------------------------------- names */

static bool widen(const char *path, wchar_t *out)
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, out, PATH_MAX))
        return true;
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
    return false;
}

/* Writes the path of an open file to `out`, with links resolved and "/" between
 * folders. */
static bool name_of(HANDLE file, char out[static PATH_MAX])
{
    wchar_t wide[PATH_MAX];
    DWORD n = GetFinalPathNameByHandleW(file, wide, PATH_MAX, 0);
    const wchar_t *from = wide;

    if (!n || n >= PATH_MAX) {
        errno = n ? ENAMETOOLONG : ENOENT;
        return false;
    }
    if (!wcsncmp(from, L"\\\\?\\UNC\\", 8)) {
        wide[6] = L'\\';
        from += 6;
    } else if (!wcsncmp(from, L"\\\\?\\", 4)) {
        from += 4;
    }
    if (!WideCharToMultiByte(CP_UTF8, 0, from, -1, out, PATH_MAX, NULL, NULL)) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *at = out; *at; at++)
        if (*at == '\\')
            *at = '/';
    return true;
}

static HANDLE look_at(const char *path)
{
    wchar_t wide[PATH_MAX];
    HANDLE file = INVALID_HANDLE_VALUE;

    if (!widen(path, wide))
        return file;
    file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                       NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
    return file;
}

char *fsd_realpath(const char *path, char *out)
{
    HANDLE file = look_at(path);
    char name[PATH_MAX];
    bool known;

    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    known = name_of(file, name);
    CloseHandle(file);
    if (!known)
        return NULL;
    if (!out)
        return strdup(name);
    memcpy(out, name, strlen(name) + 1);
    return out;
}

/* ---------------------------------------------------------------------------- files */

static int describe(HANDLE file, struct fsd_stat *out)
{
    BY_HANDLE_FILE_INFORMATION about;
    DWORD type = GetFileType(file);

    *out = (struct fsd_stat){.st_nlink = 1, .st_mode = S_IRUSR | S_IWUSR};
    if (type != FILE_TYPE_DISK) {
        out->st_mode |= type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
        return 0;
    }
    if (!GetFileInformationByHandle(file, &about)) {
        errno = EBADF;
        return -1;
    }
    out->st_dev = about.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    out->st_size = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow);
    out->st_nlink = about.nNumberOfLinks;
    out->st_mode |=
        about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR : S_IFREG;
    if (about.dwFileAttributes & FILE_ATTRIBUTE_READONLY)
        out->st_mode &= ~(unsigned)S_IWUSR;
    return 0;
}

int fsd_stat(const char *path, struct fsd_stat *out)
{
    HANDLE file = look_at(path);
    int status;

    if (file == INVALID_HANDLE_VALUE)
        return -1;
    status = describe(file, out);
    CloseHandle(file);
    return status;
}

int fsd_fstat(int fd, struct fsd_stat *out)
{
    return describe((HANDLE)_get_osfhandle(fd), out);
}

int fsd_open(const char *path, int flags, ...)
{
    wchar_t wide[PATH_MAX];

    return widen(path, wide) ? _wopen(wide, flags | _O_BINARY, _S_IREAD | _S_IWRITE)
                             : -1;
}

int fsd_unlink(const char *path)
{
    wchar_t wide[PATH_MAX];

    return widen(path, wide) ? _wunlink(wide) : -1;
}

int fsd_rmdir(const char *path)
{
    wchar_t wide[PATH_MAX];

    return widen(path, wide) ? _wrmdir(wide) : -1;
}

int fsd_mkdir(const char *path, unsigned mode)
{
    wchar_t wide[PATH_MAX];

    (void)mode;
    return widen(path, wide) ? _wmkdir(wide) : -1;
}

int fsd_rename(const char *from, const char *to)
{
    wchar_t one[PATH_MAX], two[PATH_MAX];

    if (!widen(from, one) || !widen(to, two))
        return -1;
    if (MoveFileExW(one, two, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return 0;
    errno = EACCES;
    return -1;
}

int fsd_access(const char *path, int how)
{
    wchar_t wide[PATH_MAX];

    return widen(path, wide) ? _waccess(wide, how & (R_OK | W_OK)) : -1;
}

/* Converts a mode of fopen(): "re" becomes "rb", "wxe" becomes "wxb". Windows' C
 * library does not accept "e" (close on exec). */
static void mode_of(const char *mode, char out[static 8])
{
    size_t n = 0;

    for (; *mode && n < 5; mode++)
        if (*mode != 'e' && *mode != 'b')
            out[n++] = *mode;
    out[n++] = 'b';
    out[n] = '\0';
}

FILE *fsd_fopen(const char *path, const char *mode)
{
    wchar_t wide[PATH_MAX], how[8];
    char own[8];

    mode_of(mode, own);
    return widen(path, wide) && widen(own, how) ? _wfopen(wide, how) : NULL;
}

FILE *fsd_fdopen(int fd, const char *mode)
{
    char own[8];

    mode_of(mode, own);
    return _fdopen(fd, own);
}

struct fsd_dir {
    _WDIR *open;
    struct fsd_dirent entry;
};

struct fsd_dir *fsd_opendir(const char *path)
{
    struct fsd_dir *dir = calloc(1, sizeof *dir);
    wchar_t wide[PATH_MAX];

    if (dir && widen(path, wide))
        dir->open = _wopendir(wide);
    if (dir && dir->open)
        return dir;
    free(dir);
    return NULL;
}

struct fsd_dirent *fsd_readdir(struct fsd_dir *dir)
{
    const struct _wdirent *entry = _wreaddir(dir->open);

    return entry &&
                   WideCharToMultiByte(CP_UTF8, 0, entry->d_name, -1, dir->entry.d_name,
                                       sizeof dir->entry.d_name, NULL, NULL)
               ? &dir->entry
               : NULL;
}

int fsd_closedir(struct fsd_dir *dir)
{
    int status = _wclosedir(dir->open);

    free(dir);
    return status;
}

ssize_t fsd_pread(int fd, void *at, size_t n, int64_t from)
{
    OVERLAPPED place = {0};
    DWORD got = 0;

    place.Offset = (DWORD)from;
    place.OffsetHigh = (DWORD)((uint64_t)from >> 32);
    if (ReadFile((HANDLE)_get_osfhandle(fd), at, n > 1 << 30 ? 1 << 30 : (DWORD)n, &got,
                 &place) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    errno = EIO;
    return -1;
}

ssize_t fsd_getline(char **line, size_t *room, FILE *in)
{
    size_t n = 0;
    int c;

    while ((c = getc(in)) != EOF) {
        if (n + 2 > *room) {
            size_t larger = *room ? 2 * *room : 128;
            char *text = realloc(*line, larger);

            if (!text)
                return -1;
            *line = text;
            *room = larger;
        }
        (*line)[n++] = (char)c;
        if (c == '\n')
            break;
    }
    if (!n)
        return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}

/* ------------------------------------------------------------------------ temporary */

enum { TRIES = 100 };

static void draw_name(char *at)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char drawn[6];

    fsd_host_random(drawn, sizeof drawn);
    for (size_t i = 0; i < sizeof drawn; i++)
        at[i] = letters[drawn[i] % (sizeof letters - 1)];
}

int fsd_mkstemps(char *path, int suffix)
{
    char *at = path + strlen(path) - (size_t)suffix - 6;
    int fd = -1;

    errno = EEXIST;
    for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
        draw_name(at);
        fd = fsd_open(path, _O_RDWR | _O_CREAT | _O_EXCL | _O_NOINHERIT);
    }
    return fd;
}

char *fsd_mkdtemp(char *path)
{
    char *at = path + strlen(path) - 6;

    for (int i = 0; i < TRIES; i++) {
        draw_name(at);
        if (!fsd_mkdir(path, 0700))
            return path;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

/* ---------------------------------------------------------------------------- texts */

void *fsd_memmem(const void *text, size_t n, const void *word, size_t m)
{
    const char *at = text, *end = at + n;

    if (!m)
        return (void *)(uintptr_t)text;
    while ((size_t)(end - at) >= m) {
        at = memchr(at, *(const char *)word, (size_t)(end - at) - m + 1);
        if (!at)
            return NULL;
        if (!memcmp(at, word, m))
            return (void *)(uintptr_t)at;
        at++;
    }
    return NULL;
}

/* Converts an ASCII letter to lower case if the flags request it. Letters outside ASCII
 * stay unchanged, because no pattern needs their conversion. */
static unsigned char fold(char c, int flags)
{
    return (unsigned char)(flags & FNM_CASEFOLD && c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Whether a set in brackets of a pattern, such as [a-z], contains the character.
 * @param set  the text after '['
 * @param[out] rest  the text after ']'; NULL: the set is not closed. */
static bool set_has(const char *set, char c, int flags, const char **rest)
{
    bool negated = *set == '!' || *set == '^', has = false;
    const char *first = set += negated;

    *rest = NULL;
    for (; *set && (*set != ']' || set == first); set++) {
        char low, high;

        if (!(flags & FNM_NOESCAPE) && *set == '\\' && set[1])
            set++;
        low = high = *set;
        if (set[1] == '-' && set[2] && set[2] != ']') {
            set += 2;
            if (!(flags & FNM_NOESCAPE) && *set == '\\' && set[1])
                set++;
            high = *set;
        }
        has |=
            fold(low, flags) <= fold(c, flags) && fold(c, flags) <= fold(high, flags);
    }
    if (*set)
        *rest = set + 1;
    return has != negated;
}

/* Returns 0 if the whole text matches the pattern, else 1. After a mismatch, the last
 * '*' takes one more character. An earlier '*' never takes more characters, because the
 * last '*' can take these characters instead. */
int fsd_fnmatch(const char *pattern, const char *text, int flags)
{
    const char *star = NULL, *behind = NULL;

    while (*text) {
        const char *rest = pattern + 1;
        bool fits;

        if (*pattern == '*') {
            star = ++pattern;
            behind = text;
            continue;
        }
        if (*pattern == '[') {
            fits = set_has(pattern + 1, *text, flags, &rest);
            if (!rest) {
                fits = *text == '[';
                rest = pattern + 1;
            }
        } else if (*pattern == '\\' && pattern[1] && !(flags & FNM_NOESCAPE)) {
            fits = fold(pattern[1], flags) == fold(*text, flags);
            rest = pattern + 2;
        } else {
            fits = *pattern &&
                   (*pattern == '?' || fold(*pattern, flags) == fold(*text, flags));
        }
        if (fits) {
            pattern = rest;
            text++;
        } else if (star) {
            pattern = star;
            text = ++behind;
        } else {
            return 1;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern != '\0';
}

/* -------------------------------------------------------------------- beside a file */

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (n && folder[n - 1] == '/') /* the root of a drive */
        n--;
    return !_strnicmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static char *folder_of(const char *path)
{
    char folder[PATH_MAX];
    size_t n = strlen(path);

    while (n && path[n - 1] != '/' && path[n - 1] != '\\')
        n--;
    if (n >= sizeof folder)
        return NULL;
    memcpy(folder, path, n);
    folder[n] = '\0';
    return fsd_realpath(n ? folder : ".", NULL);
}

/* Opens the file first, and then checks the path. So no other program can replace the
 * file between the check and the first read. */
int fsd_open_beside(const char *path, const char *of)
{
    int fd = fsd_open(path, _O_RDONLY | _O_NOINHERIT);
    char real[PATH_MAX], *folder, *file, *named;
    bool may = false;

    if (fd < 0)
        return -1;
    named = folder_of(of);
    file = fsd_realpath(of, NULL);
    folder = file ? folder_of(file) : NULL;
    if (name_of((HANDLE)_get_osfhandle(fd), real))
        may = (named && is_below(real, named)) || (folder && is_below(real, folder));
    free(named);
    free(file);
    free(folder);
    if (may)
        return fd;
    _close(fd);
    errno = EXDEV;
    return -1;
}

bool fsd_link_leads_out(const char *path, char *to, size_t size)
{
    wchar_t wide[PATH_MAX];
    DWORD about =
        widen(path, wide) ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    char *real, *folder;
    bool out;

    if (about == INVALID_FILE_ATTRIBUTES || !(about & FILE_ATTRIBUTE_REPARSE_POINT))
        return false;
    real = fsd_realpath(path, NULL);
    folder = folder_of(path);
    out = real && folder && !is_below(real, folder);
    if (out)
        snprintf(to, size, "%s", real);
    free(real);
    free(folder);
    return out;
}
