package io.urma4j;

/** The result of an asynchronous call that was made through a {@link Notifier}. */
public sealed interface Notification {
    /** The value that the caller passed. */
    long userContext();

    /** The segment is imported; the receiver of this notification must close it. */
    record SegmentImported(long userContext, RemoteSegment segment) implements Notification {}

    /** The JFR or Jetty is imported; the receiver of this notification must close it. */
    record JettyImported(long userContext, TargetJetty target) implements Notification {}

    /** The Jetty is bound. */
    record Bound(long userContext, Jetty jetty) implements Notification {}

    /** The Jetty is unbound. */
    record Unbound(long userContext, Jetty jetty) implements Notification {}

    /** The call failed, and changed nothing. */
    record Failed(long userContext, UrmaException reason) implements Notification {}
}
