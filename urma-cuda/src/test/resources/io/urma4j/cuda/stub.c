/*
 * A library with the functions of the CUDA driver that urma4j calls, on memory of the host. Each function checks its arguments,
 * as they come through the calling convention: a wrong layout in Java ends in INVALID_VALUE or in wrong bytes.
 * -DSTUB: cuInit reports the toolkit's stub. -DEMPTY: no device. -DOLD: an old driver. -DLACKING: without some functions.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OK 0
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define INVALID_DEVICE 101
#define INVALID_CONTEXT 201
#define INVALID_HANDLE 400
#define NOT_READY 600

#define DEVICE 7 /* the CUdevice of ordinal 0: another number, so that a mix-up is found */
#define TOTAL (64ull << 30)
#define MAX 256

typedef int R;
typedef uint64_t P;
typedef struct { char bytes[64]; } Ipc;

struct memory { P base; uint64_t size; uint64_t id; unsigned sync; };
static struct memory memories[MAX], hosts[MAX];
struct event { int pending; };
static uint64_t next_id = 100;
static int context_object, stream_object, stream_pending, retained, initialized;
static __thread void *current;

#define CONTEXT ((void *) &context_object)
#define STREAM ((void *) &stream_object)
#define NEED(condition, code) do { if (!(condition)) return (code); } while (0)
#define NEED_CONTEXT NEED(initialized && current == CONTEXT, INVALID_CONTEXT)

static struct memory *at(struct memory *all, P address, uint64_t length) {
    for (int i = 0; i < MAX; i++)
        if (all[i].size && address >= all[i].base && address - all[i].base <= all[i].size - length && length <= all[i].size)
            return &all[i];
    return 0;
}

static struct memory *add(struct memory *all, P base, uint64_t size) {
    for (int i = 0; i < MAX; i++)
        if (!all[i].size) {
            all[i] = (struct memory){base, size, next_id++, 0};
            return &all[i];
        }
    return 0;
}

R cuInit(unsigned flags) {
    NEED(flags == 0, INVALID_VALUE);
#ifdef STUB
    return 34;
#endif
#ifdef EMPTY
    return 100;
#endif
    initialized = 1;
    return OK;
}

R cuDriverGetVersion(int *version) {
#ifdef OLD
    *version = 10020;
#else
    *version = 12040;
#endif
    return OK;
}

R cuGetErrorName(int code, const char **name) {
    *name = code == INVALID_VALUE     ? "CUDA_ERROR_INVALID_VALUE"
            : code == OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
            : code == 34              ? "CUDA_ERROR_STUB_LIBRARY"
                                      : 0;
    return *name ? OK : INVALID_VALUE;
}

R cuGetErrorString(int code, const char **text) {
    *text = code == OUT_OF_MEMORY ? "out of memory" : 0;
    return *text ? OK : INVALID_VALUE;
}

R cuDeviceGetCount(int *count) { *count = 1; return OK; }
R cuDeviceGet(int *device, int ordinal) { NEED(ordinal == 0, INVALID_DEVICE); *device = DEVICE; return OK; }

R cuDeviceGetName(char *name, int length, int device) {
    NEED(length > 8 && device == DEVICE, INVALID_VALUE);
    strncpy(name, "stub GPU", length);
    return OK;
}

R cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    NEED(device == DEVICE, INVALID_DEVICE);
    for (int i = 0; i < 16; i++) uuid[i] = 0xf0 + i;
    return OK;
}

R cuDeviceTotalMem_v2(size_t *bytes, int device) { NEED(device == DEVICE, INVALID_DEVICE); *bytes = TOTAL; return OK; }

R cuDeviceGetAttribute(int *value, int attribute, int device) {
    NEED(device == DEVICE, INVALID_DEVICE);
    switch (attribute) {
        case 33: *value = 0x3b; return OK;
        case 34: *value = 0x1f; return OK;
        case 50: *value = 0x2; return OK;
        case 117: *value = 1; return OK;
        case 118: *value = 100; return OK;
        case 124: *value = 1; return OK;
        default: return INVALID_VALUE;
    }
}

R cuDevicePrimaryCtxRetain(void **context, int device) {
    NEED(device == DEVICE, INVALID_DEVICE);
    retained++;
    *context = CONTEXT;
    return OK;
}

R cuDevicePrimaryCtxRelease_v2(int device) {
    NEED(device == DEVICE, INVALID_DEVICE);
    NEED(retained > 0, INVALID_CONTEXT);
    retained--;
    return OK;
}

R cuCtxSetCurrent(void *context) {
    NEED(context == CONTEXT || context == 0, INVALID_CONTEXT);
    current = context;
    return OK;
}

R cuCtxGetCurrent(void **context) { *context = current; return OK; }

R cuMemAlloc_v2(P *address, size_t size) {
    NEED_CONTEXT;
    NEED(size > 0, INVALID_VALUE);
    NEED(size < TOTAL, OUT_OF_MEMORY);
    void *bytes = 0;
    NEED(posix_memalign(&bytes, 4096, size) == 0, OUT_OF_MEMORY);
    *address = (P) bytes;
    return add(memories, *address, size) ? OK : OUT_OF_MEMORY;
}

R cuMemFree_v2(P address) {
    NEED_CONTEXT;
    struct memory *found = at(memories, address, 1);
    NEED(found && found->base == address, INVALID_VALUE);
    found->size = 0;
    free((void *) address);
    return OK;
}

R cuMemGetInfo_v2(size_t *unused, size_t *total) { NEED_CONTEXT; *unused = TOTAL / 2; *total = TOTAL; return OK; }

R cuMemGetAddressRange_v2(P *base, size_t *size, P address) {
    NEED_CONTEXT;
    struct memory *found = at(memories, address, 1);
    NEED(found, INVALID_VALUE);
    *base = found->base;
    *size = found->size;
    return OK;
}

R cuMemHostRegister_v2(void *address, size_t size, unsigned flags) {
    NEED_CONTEXT;
    NEED(flags == 3 && size > 0, INVALID_VALUE);
    NEED(!at(hosts, (P) address, 1), 712);
    return add(hosts, (P) address, size) ? OK : OUT_OF_MEMORY;
}

R cuMemHostUnregister(void *address) {
    NEED_CONTEXT;
    struct memory *found = at(hosts, (P) address, 1);
    NEED(found && found->base == (P) address, 713);
    found->size = 0;
    return OK;
}

R cuPointerGetAttributes(unsigned count, int *attributes, void **data, P address) {
    struct memory *device = at(memories, address, 1);
    struct memory *host = at(hosts, address, 1);
    struct memory *found = device ? device : host;
#ifdef OLD
    NEED(found, INVALID_VALUE);
#endif
    for (unsigned i = 0; i < count; i++) {
        switch (attributes[i]) {
            case 1: *(void **) data[i] = found ? CONTEXT : 0; break;
            case 2: *(unsigned *) data[i] = device ? 2 : host ? 1 : 0; break;
            case 7: *(uint64_t *) data[i] = found ? found->id : 0; break;
            case 8: *(unsigned char *) data[i] = 0; break;
            case 9: *(int *) data[i] = found ? 0 : -2; break;
            case 11: *(P *) data[i] = found ? found->base : 0; break;
            case 12: *(size_t *) data[i] = found ? found->size : 0; break;
            case 15: *(unsigned char *) data[i] = device != 0; break;
            default: return INVALID_VALUE;
        }
    }
    return OK;
}

R cuPointerSetAttribute(const void *value, int attribute, P address) {
    NEED_CONTEXT;
    struct memory *found = at(memories, address, 1);
    NEED(found && attribute == 6 && *(const unsigned *) value == 1, INVALID_VALUE);
    found->sync = 1;
    return OK;
}

R cuMemcpyHtoDAsync_v2(P to, const void *from, size_t size, void *stream) {
    NEED_CONTEXT;
    NEED(stream == STREAM, INVALID_HANDLE);
    NEED(at(memories, to, size) && !at(memories, (P) from, 1), INVALID_VALUE);
    memcpy((void *) to, from, size);
    stream_pending = 2;
    return OK;
}

R cuMemcpyDtoHAsync_v2(void *to, P from, size_t size, void *stream) {
    NEED_CONTEXT;
    NEED(stream == STREAM, INVALID_HANDLE);
    NEED(at(memories, from, size) && !at(memories, (P) to, 1), INVALID_VALUE);
    memcpy(to, (const void *) from, size);
    stream_pending = 2;
    return OK;
}

R cuMemcpyDtoDAsync_v2(P to, P from, size_t size, void *stream) {
    NEED_CONTEXT;
    NEED(stream == STREAM, INVALID_HANDLE);
    NEED(at(memories, from, size) && at(memories, to, size), INVALID_VALUE);
    memcpy((void *) to, (const void *) from, size);
    stream_pending = 2;
    return OK;
}

R cuMemsetD8Async(P to, unsigned char value, size_t size, void *stream) {
    NEED_CONTEXT;
    NEED(stream == STREAM, INVALID_HANDLE);
    NEED(at(memories, to, size), INVALID_VALUE);
    memset((void *) to, value, size);
    stream_pending = 2;
    return OK;
}

R cuStreamCreate(void **stream, unsigned flags) { NEED_CONTEXT; NEED(flags == 1, INVALID_VALUE); *stream = STREAM; return OK; }
R cuStreamDestroy_v2(void *stream) { NEED(stream == STREAM, INVALID_HANDLE); return OK; }

R cuStreamQuery(void *stream) {
    NEED_CONTEXT;
    NEED(stream == STREAM, INVALID_HANDLE);
    if (stream_pending == 0) return OK;
    stream_pending--;
    return NOT_READY;
}

static struct event *last;

R cuStreamSynchronize(void *stream) {
    NEED(stream == STREAM, INVALID_HANDLE);
    if (last) last->pending = 0;
    stream_pending = 0;
    return OK;
}

R cuEventCreate(void **event, unsigned flags) {
    NEED_CONTEXT;
    NEED(flags == 2, INVALID_VALUE);
    *event = calloc(1, sizeof(struct event));
    return OK;
}

R cuEventRecord(void *event, void *stream) {
    NEED(stream == STREAM, INVALID_HANDLE);
    last = event;
    last->pending = 2;
    return OK;
}

R cuEventQuery(void *event) {
    struct event *asked = event;
    if (asked->pending == 0) return OK;
    asked->pending--;
    return NOT_READY;
}

R cuEventDestroy_v2(void *event) {
    if (last == event) last = 0;
    free(event);
    return OK;
}

#ifndef LACKING
R cuIpcGetMemHandle(Ipc *handle, P address) {
    NEED_CONTEXT;
    struct memory *found = at(memories, address, 1);
    NEED(found, INVALID_VALUE);
    memset(handle, 0x11, sizeof *handle);
    memcpy(handle->bytes, &found->id, sizeof found->id);
    return OK;
}

/* A handle of bytes 0, 1, 2 … gives their sum, each times its place; one of this process is refused. */
R cuIpcOpenMemHandle_v2(P *address, Ipc handle, unsigned flags) {
    NEED_CONTEXT;
    NEED(flags == 1, INVALID_VALUE);
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++) {
        if (handle.bytes[i] != i) return INVALID_CONTEXT;
        sum += (uint64_t) i * handle.bytes[i];
    }
    *address = sum << 32;
    return OK;
}

R cuIpcCloseMemHandle(P address) { NEED_CONTEXT; NEED(address == 85344ull << 32, INVALID_VALUE); return OK; }

R cuFlushGPUDirectRDMAWrites(int target, int scope) {
    NEED_CONTEXT;
    NEED(target == 0 && scope == 100, INVALID_VALUE);
    return OK;
}

R cuMemGetHandleForAddressRange(void *handle, P address, size_t size, int type, unsigned long long flags) {
    NEED_CONTEXT;
    NEED(type == 1 && flags == 0 && address % 4096 == 0 && size % 4096 == 0 && at(memories, address, size), INVALID_VALUE);
    *(int *) handle = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return OK;
}
#endif
