/** The public API of urma4j, the SPI of providers, and the control plane that providers share. */
@SuppressWarnings("module") // the providers below are not on the path when the core is compiled
@org.jspecify.annotations.NullMarked
module io.urma4j.core {
    // annotations alone: nothing needs JSpecify at run time; not transitive, or no module could be compiled without it
    requires static org.jspecify;
    // the Flight Recorder hears of rare things, where the runtime has one
    requires static jdk.jfr;

    exports io.urma4j;
    exports io.urma4j.spi;
    // what our own providers share; not an API for others
    exports io.urma4j.spi.control to
            io.urma4j.shm,
            io.urma4j.udma;
    exports io.urma4j.spi.support to
            io.urma4j.shm,
            io.urma4j.udma;

    uses io.urma4j.spi.UrmaProvider;
}
