/** The software network card: RoCEv2 over UDP. */
@SuppressWarnings("module") // io.urma4j.simulation and io.urma4j.tools are built later
module io.urma4j.udma {
    requires io.urma4j.core;
    requires io.urma4j.libc;
    // the option IP_DONTFRAGMENT
    requires jdk.net;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    // the urma command tells RC Jetties by hand, and shows what is on the wire
    exports io.urma4j.udma to
            io.urma4j.tools;
    exports io.urma4j.udma.capture to
            io.urma4j.tools;
    // urma decode finds the secrets in the greetings of a capture
    exports io.urma4j.udma.control to
            io.urma4j.tools;
    // urma ping
    exports io.urma4j.udma.ping to
            io.urma4j.tools;
    // the simulator plays the driver of whole cards, and the network between them
    exports io.urma4j.udma.command to
            io.urma4j.simulation;
    exports io.urma4j.udma.device to
            io.urma4j.simulation;
    exports io.urma4j.udma.ring to
            io.urma4j.simulation;
    exports io.urma4j.udma.transport to
            io.urma4j.simulation;
    exports io.urma4j.udma.wire to
            io.urma4j.simulation,
            io.urma4j.tools;

    provides io.urma4j.spi.UrmaProvider with
            io.urma4j.udma.driver.UdmaProvider;
}
