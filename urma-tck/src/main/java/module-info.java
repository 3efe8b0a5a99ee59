/** The conformance tests; a provider's test module subclasses them, so the test libraries come along. */
module io.urma4j.tck {
    requires transitive io.urma4j.core;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;
    // compiles what has a bug planted in it
    requires java.compiler;
    // what the library logs to by default, for the test of a warning
    requires java.logging;
    // counts what a thread allocates
    requires jdk.management;
    // runs the suite from the command line
    requires org.junit.platform.engine;
    requires org.junit.platform.launcher;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    exports io.urma4j.tck;
    exports io.urma4j.tck.mutants;
    exports io.urma4j.tck.run;
}
