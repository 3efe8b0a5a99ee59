/** The libc calls that urma4j needs, through the FFM API; the only module that needs native access. */
module io.urma4j.libc {
    // annotations alone: nothing needs JSpecify at run time
    requires static org.jspecify;
}
