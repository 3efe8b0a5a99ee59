/** The urma command. */
module io.urma4j.tools {
    requires info.picocli;
    requires io.urma4j.core;
    requires io.urma4j.libc;
    requires HdrHistogram;
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;

    // picocli fills fields and calls methods by reflection
    opens io.urma4j.tools to
            info.picocli;
}
