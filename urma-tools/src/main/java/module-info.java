/** The urma command. */
module io.urma4j.tools {
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.urma4j.core;
    requires io.urma4j.libc;
    requires io.urma4j.simulation;
    requires io.urma4j.udma;
    requires HdrHistogram;
    // the demo measures the allocation of a thread
    requires java.management;
    requires jdk.management;
    // urma perftest notices by keepalive that the other host has vanished
    requires jdk.net;
    // only annotations: JSpecify is not needed at run time
    requires static org.jspecify;
    // the suite is in a separate jar, which only `urma tck` puts on its class path; the command silences its log
    requires static io.urma4j.tck;
    requires java.logging;

    // picocli fills fields and calls methods by reflection
    opens io.urma4j.tools to
            info.picocli;
    opens io.urma4j.tools.admin to
            info.picocli;
    opens io.urma4j.tools.decode to
            info.picocli;
    opens io.urma4j.tools.demo to
            info.picocli;
    opens io.urma4j.tools.doctor to
            info.picocli;
    opens io.urma4j.tools.perftest to
            info.picocli;
    opens io.urma4j.tools.ping to
            info.picocli;
    opens io.urma4j.tools.pingpong to
            info.picocli;
    opens io.urma4j.tools.simulate to
            info.picocli;
    opens io.urma4j.tools.tck to
            info.picocli;
}
