package io.urma4j;

/** How an asynchronous call ended that was made through a {@link Notifier}. */
public sealed interface Notification {
    /** What the caller gave it. */
    long userContext();

    /** The segment is imported; it is the receiver's to close. */
    record SegmentImported(long userContext, RemoteSegment segment) implements Notification {}

    /** The JFR or Jetty is imported; it is the receiver's to close. */
    record JettyImported(long userContext, TargetJetty target) implements Notification {}

    /** The Jetty is bound. */
    record Bound(long userContext, Jetty jetty) implements Notification {}

    /** The Jetty is unbound. */
    record Unbound(long userContext, Jetty jetty) implements Notification {}

    /** It failed, and changed nothing. */
    record Failed(long userContext, UrmaException reason) implements Notification {}
}
