/** The public API of urma4j, the SPI of providers, and the control plane that providers share. */
@SuppressWarnings("module") // the providers below are not on the path when the core is compiled
@org.jspecify.annotations.NullMarked
module io.urma4j.core {
    // only annotations, so JSpecify is not needed at run time; transitive would make every module need it to compile
    requires static org.jspecify;
    // Flight Recorder events, if the runtime has the module
    requires static jdk.jfr;

    exports io.urma4j;
    exports io.urma4j.buffer;
    exports io.urma4j.peer;
    exports io.urma4j.spi;
    // shared by the providers of urma4j; not an API for others
    exports io.urma4j.spi.control to
            io.urma4j.shm,
            io.urma4j.udma;
    exports io.urma4j.spi.support to
            io.urma4j.shm,
            io.urma4j.udma;
    // what sockets tell to processes that look into them
    exports io.urma4j.internal to
            io.urma4j.socket;
    exports io.urma4j.internal.inspect to
            io.urma4j.socket;

    uses io.urma4j.spi.UrmaProvider;
    uses io.urma4j.peer.PeerMemoryService;
}
