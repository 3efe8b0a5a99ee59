/** The conformance tests; a provider's test module subclasses them, so the test libraries are transitive. */
module io.urma4j.tck {
    requires transitive io.urma4j.core;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;
    // compiles classes with a planted bug
    requires java.compiler;
    // the library's default log backend, for the test of a warning
    requires java.logging;
    // measures the allocation of a thread
    requires jdk.management;
    // runs the suite from the command line
    requires org.junit.platform.engine;
    requires org.junit.platform.launcher;
    // only annotations: JSpecify is not needed at run time
    requires static org.jspecify;

    exports io.urma4j.tck;
    exports io.urma4j.tck.mutants;
    exports io.urma4j.tck.run;
}
