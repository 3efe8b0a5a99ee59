package io.urma4j;

/** The scope of a failure towards one target (S6.12). */
public enum ErrorScope {
    /** The queue: it goes to ERROR with all its other work requests. */
    JETTY,

    /**
     * Only the work requests to that target. They end with WR_FLUSH_ERR, and so do later ones at once, until the target is
     * imported again. A target is a {@link TargetJetty} or a {@link RemoteSegment}.
     */
    TARGET
}
