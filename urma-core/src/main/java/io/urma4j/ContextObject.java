package io.urma4j;

/** An object that belongs to a context, and is closed alone, in a batch, or with the context. */
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
    /** The context that it belongs to. */
    UrmaContext context();

    @Override
    void close();
}
