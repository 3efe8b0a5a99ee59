package io.urma4j;

/** What lives in a context, and is closed by itself, in a batch, or with the context. */
public sealed interface ContextObject extends AutoCloseable
        permits Jetty,
                JettyGroup,
                Jfc,
                Jfce,
                Jfr,
                Jfs,
                LocalSegment,
                Notifier,
                RemoteSegment,
                RemoteWindow,
                SharedMemory,
                TargetJetty,
                TokenId {
    /** Where it lives. */
    UrmaContext context();

    @Override
    void close();
}
