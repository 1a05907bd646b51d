/* System calls on the files of one folder, counted, failed, fatal or written down.
 *
 * Loaded before the C library (LD_PRELOAD), so that it sees what Python and SQLite really call.
 * fault_arm(folder, n, mode): the n-th call on a file of the folder fails (mode 1), kills the
 * process before it happens (2) or after (3); mode 0 only counts.  fault_log(fd) writes every
 * change of a file to fd, one line each; fault_mark(text) adds a line of the caller's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT, FAIL, KILL_BEFORE, KILL_AFTER, FILES = 4096 };
static char folder[512];
static char ours[FILES];
static long count, chosen;
static int mode, log_fd = -1;

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

static int inside(const char *path) { return *folder && !strncmp(path, folder, strlen(folder)); }
static int mine(int fd) { return fd >= 0 && fd < FILES && ours[fd]; }
static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static void say(const char *format, ...) {
    static ssize_t (*real_write)(int, const void *, size_t);
    char line[1024];
    va_list rest;
    if (log_fd < 0) return;
    if (!real_write) real_write = dlsym(RTLD_NEXT, "write");
    va_start(rest, format);
    int size = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    if (real_write(log_fd, line, size) != size) abort();
}

static void say_data(const char *what, int fd, long at, const unsigned char *data, size_t size) {
    struct stat info;
    if (log_fd < 0) return;
    fstat(fd, &info);
    say("%s %lu %ld ", what, (unsigned long)info.st_ino, at);
    for (size_t i = 0; i < size; i++) say("%02x", data[i]);
    say("\n");
}

static void say_file(const char *what, int fd, long value) {
    struct stat info;
    if (log_fd < 0) return;
    fstat(fd, &info);
    say("%s %lu %ld\n", what, (unsigned long)info.st_ino, value);
}

/* Returns 1 where the call must fail. */
static int due(void) {
    if (!*folder || mode < 0) return 0;
    if (++count != chosen) return 0;
    if (mode == KILL_BEFORE) die();
    if (mode == FAIL) errno = EIO;
    return mode == FAIL;
}

static void done(void) { if (*folder && mode == KILL_AFTER && count == chosen) die(); }

void fault_arm(const char *where, long n, int how) {
    struct stat info;
    snprintf(folder, sizeof folder, "%s", where);
    count = 0; chosen = n; mode = how;
    memset(ours, 0, sizeof ours);
    for (int fd = 0; fd < FILES; fd++) {
        char name[64], path[512];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t size = fstat(fd, &info) ? -1 : readlink(name, path, sizeof path - 1);
        if (size > 0) { path[size] = 0; ours[fd] = inside(path); }
    }
}
long fault_count(void) { long found = count; *folder = 0; return found; }
void fault_log(int fd) { log_fd = fd; }
void fault_mark(const char *text) { say("mark %s\n", text); }

static int opened(int (*call)(const char *, int, ...), const char *path, int flags, mode_t how) {
    struct stat info;
    if (!inside(path)) {
        int fd = call(path, flags, how);
        if (fd >= 0 && fd < FILES) ours[fd] = 0;
        return fd;
    }
    int fresh = stat(path, &info) != 0;
    if (due()) return -1;
    int fd = call(path, flags, how);
    if (fd >= 0 && fd < FILES) {
        ours[fd] = 1;
        if (log_fd >= 0) {
            fstat(fd, &info);
            say("open %lu %s %s\n", (unsigned long)info.st_ino,
                S_ISDIR(info.st_mode) ? "folder" : fresh ? "new" : "old", path);
            if (flags & O_TRUNC) say_file("cut", fd, 0);
        }
    }
    done();
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; va_start(rest, flags); \
        mode_t how = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opened((int (*)(const char *, int, ...))real, path, flags, how); \
    }
OPEN(open)
OPEN(open64)

#define PWRITE(name, type) \
    ssize_t name(int fd, const void *data, size_t size, type at) { \
        REAL(name); \
        if (!mine(fd)) return real(fd, data, size, at); \
        if (due()) return -1; \
        ssize_t found = real(fd, data, size, at); \
        if (found > 0) say_data("write", fd, at, data, found); \
        done(); \
        return found; \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (!mine(fd)) return real(fd, data, size);
    if (due()) return -1;
    long at = lseek(fd, 0, SEEK_CUR);
    ssize_t found = real(fd, data, size);
    if (found > 0) say_data("write", fd, at, data, found);
    done();
    return found;
}

#define CALL(name, kind, parameters, test, arguments, log) \
    kind name parameters { \
        REAL(name); \
        if (!(test)) return real arguments; \
        if (due()) return -1; \
        kind found = real arguments; \
        if (found >= 0) { log; } \
        done(); \
        return found; \
    }
CALL(fsync, int, (int fd), mine(fd), (fd), say_file("sync", fd, 0))
CALL(fdatasync, int, (int fd), mine(fd), (fd), say_file("sync", fd, 0))
CALL(ftruncate, int, (int fd, off_t size), mine(fd), (fd, size), say_file("cut", fd, size))
CALL(ftruncate64, int, (int fd, off64_t size), mine(fd), (fd, size), say_file("cut", fd, size))
CALL(flock, int, (int fd, int how), mine(fd), (fd, how), (void)0)
CALL(read, ssize_t, (int fd, void *to, size_t size), mine(fd), (fd, to, size), (void)0)
CALL(pread64, ssize_t, (int fd, void *to, size_t size, off64_t at), mine(fd), (fd, to, size, at), (void)0)
CALL(rename, int, (const char *from, const char *to), inside(from), (from, to), say("move %s %s\n", from, to))
CALL(unlink, int, (const char *path), inside(path), (path), say("drop %s\n", path))

/* A close that fails has closed the file all the same, as on Linux. */
int close(int fd) {
    REAL(close);
    if (!mine(fd)) return real(fd);
    ours[fd] = 0;
    int failed = due();
    int found = real(fd);
    done();
    return failed ? (errno = EIO, -1) : found;
}
