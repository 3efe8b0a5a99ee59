/**
 * Bindings to libc through the Foreign Function &amp; Memory API, the only ones in urma4j: a class per family of calls, with
 * errno reported as text. Linux on x86_64 and aarch64; on other platforms every call fails with a clear message.
 */
@SuppressWarnings("module") // the modules named below are built after this one
module io.urma4j.libc {
    // only annotations: JSpecify is not needed at run time
    requires static org.jspecify;

    // not a public API: applications use io.urma4j
    exports io.urma4j.libc to
            io.urma4j.shm,
            io.urma4j.udma,
            io.urma4j.simulation,
            io.urma4j.tools,
            io.urma4j.bench;
}
