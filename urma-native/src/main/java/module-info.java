/**
 * The only door to libc, through the Foreign Function &amp; Memory API: a class per family of calls, errno turned into
 * words. Linux on x86_64 and aarch64; elsewhere every call refuses with a clear message.
 */
@SuppressWarnings("module") // the modules named below are built after this one
module io.urma4j.libc {
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    // No public API: whoever wants remote memory uses io.urma4j.
    exports io.urma4j.libc to
            io.urma4j.shm,
            io.urma4j.udma,
            io.urma4j.tools,
            io.urma4j.bench;
}
