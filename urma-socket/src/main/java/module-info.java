/** A provider of channels and selectors that wraps the JDK's, whose local connections can go through shared memory. */
module io.urma4j.socket {
    requires io.urma4j.core;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;
    // the agent, which the JVM starts only where it has this module
    requires static java.instrument;
    // the Flight Recorder, where the runtime has one
    requires static jdk.jfr;

    exports io.urma4j.socket;
}
