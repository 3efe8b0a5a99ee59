package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.MessageChannel;
import io.urma4j.PeerId;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import java.time.Duration;
import java.util.List;

/** The other end: a context that owns memory and receive queues. */
public interface Home extends HomeObject {
    /** Zeroed memory, registered under a random token. */
    default HomeSegment segment(long lengthBytes, Access access) {
        return segment(lengthBytes, access, TokenPolicy.PLAIN_TEXT, Token.random());
    }

    HomeSegment segment(long lengthBytes, Access access, TokenPolicy policy, Token token);

    /** Zeroed memory, registered so that only windows of it can be used. */
    HomeSegment windowsOnlySegment(long lengthBytes, Access access);

    /** Memory of a device, registered under a random token; its bytes are zero. */
    HomeDeviceSegment deviceSegment(long lengthBytes, Access access);

    /** The same, registered so that only windows of it can be used. */
    HomeDeviceSegment windowsOnlyDeviceSegment(long lengthBytes, Access access);

    /** The identity of the context. */
    PeerId peerId();

    /** The home as one to which buffers are exported, as a line. */
    String peerLine();

    /** Opens a buffer that was exported to the home, by its line. */
    HomeRemoteBuf remoteBuf(String line);

    /** A JFR with a JFC of its own. */
    default HomeQueue receiver() {
        return receiver(JfrConfig.builder().build(), 1024);
    }

    /** A JFR with a JFC of its own, of {@code jfcDepth} records. */
    HomeQueue receiver(JfrConfig config, int jfcDepth);

    /** A Jetty with a JFR and a JFC of its own. */
    HomeQueue jetty(JfsConfig send, JfrConfig receive);

    /** A Jetty that receives with the JFR of {@code other}, and has a JFC of its own. */
    HomeQueue jettySharing(HomeQueue other, JfsConfig send);

    /** The same, and its receive records go to a JFC of its own, of {@code jfcDepth} records. */
    HomeQueue jettySharing(HomeQueue other, JfsConfig send, int jfcDepth);

    /** A Jetty group without members. */
    HomeGroup group(JettyGroupConfig config);

    /** Imports a segment of another context, with all its access. */
    HomeImport importSegment(SharedSegment shared);

    /** Makes a region. */
    HomeRegion region(String name, Token token);

    /** A {@link MessageChannel}. */
    default HomeChannel messageChannel() {
        return messageChannel(MessageChannel.Options.DEFAULT);
    }

    HomeChannel messageChannel(MessageChannel.Options options);

    /** The reading end of a {@linkplain io.urma4j.PipeReader pipe}. */
    HomePipeReader pipe(int capacityBytes);

    /** The writing end of the pipe that the line is of. */
    HomePipeWriter pipeTo(String line);

    /** Waits for an event of this kind; those before it are dropped. */
    AsyncEvent awaitEvent(AsyncEvent.Type type);

    /** The objects of the events of this kind that arrive within {@code time}; other events are dropped. */
    List<String> eventsWithin(AsyncEvent.Type type, Duration time);

    /** Names that are published where this context looks. */
    List<String> publishedNames();

    /** Number of the process. */
    long pid();

    /** Ends the context, and opens another in the same runtime directory. */
    void reopen();

    /** Ends the context; with it all that was made here. */
    void close();
}
