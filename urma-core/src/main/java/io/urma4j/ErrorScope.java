package io.urma4j;

/** What a failure towards one target affects (S6.12). */
public enum ErrorScope {
    /** The queue: it goes to ERROR, and its other work requests with it. */
    JETTY,

    /**
     * The work requests to that target alone. They end with WR_FLUSH_ERR, and so do later ones at once, until the target
     * is imported anew. A target is what a work request names: a {@link TargetJetty} or a {@link RemoteSegment}.
     */
    TARGET
}
