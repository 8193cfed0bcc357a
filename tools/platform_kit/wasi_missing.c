/* Rust's standard library calls these functions, but Debian's wasi-libc (version 0.0~git20220510) does not have them.
 * WASI has neither threads nor permissions of files, so the functions fail as on a system without them. */
#include <errno.h>
#include <stddef.h>

int pthread_attr_init(void *attributes) { return 0; }
int pthread_attr_setstacksize(void *attributes, size_t bytes) { return 0; }
int pthread_attr_destroy(void *attributes) { return 0; }
int pthread_create(void *thread, const void *attributes, void *(*run)(void *), void *argument) { return ENOSYS; }
int pthread_join(void *thread, void **result) { return EINVAL; }
int pthread_detach(void *thread) { return EINVAL; }

int chmod(const char *path, unsigned mode) {
    errno = ENOSYS;
    return -1;
}

char *realpath(const char *path, char *resolved) {
    errno = ENOSYS;
    return NULL;
}
