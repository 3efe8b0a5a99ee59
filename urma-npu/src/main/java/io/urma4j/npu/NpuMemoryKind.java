package io.urma4j.npu;

/** Kinds of memory that a device's library hands out. Only {@link #DEVICE} can be registered. */
public enum NpuMemoryKind {
    DEVICE(""),
    MANAGED("is managed memory, which moves between host and device"),
    POOL("is from a stream-ordered pool, which reuses it without a free"),
    IMPORTED("was imported from another process, which alone can register it"),
    READ_ONLY("is mapped read-only");

    private final String refusal;

    NpuMemoryKind(String refusal) {
        this.refusal = refusal;
    }

    /** Why it cannot be registered; empty if it can. */
    String refusal() {
        return refusal;
    }
}
