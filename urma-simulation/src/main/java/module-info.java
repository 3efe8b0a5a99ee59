/** Whole cards of the software network card under a simulated network. No program needs it at run time. */
@SuppressWarnings("module") // io.urma4j.tools is built later
module io.urma4j.simulation {
    requires io.urma4j.core; // the states of queues
    requires io.urma4j.libc; // the memory of rings
    requires io.urma4j.udma;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    // urma simulate
    exports io.urma4j.simulation to
            io.urma4j.tools;
}
