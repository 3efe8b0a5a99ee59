package io.urma4j.spi;

import io.urma4j.AllocOptions;
import io.urma4j.ContextView;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Resource;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TransportPath;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An address space on a device. Arguments have been checked against the device's attributes by the caller; handles
 * given back are of this very context.
 *
 * <p>Calls that may have to ask somebody else return futures; they fail with {@code UrmaException}, never later than
 * their timeout, and change nothing when they fail. All others are local and return at once. Safe for any thread.
 */
public interface ProviderContext {
    Eid eid();

    int uasid();

    /** New at each opening: nothing of an earlier life of this address space is valid (S1.5). */
    long incarnation();

    /** Memory that this provider can share: zeroed, page-aligned. */
    ProviderMemory allocate(long lengthBytes, AllocOptions options);

    /** A number for segments, until {@link #freeTokenId}. */
    int allocateTokenId();

    /** No segment of this context uses it any more; it is not given out anew while an import could name it (S4.5). */
    void freeTokenId(int tokenId);

    CompletableFuture<ProviderSegment> register(SegmentRequest request);

    CompletableFuture<ProviderImport> importSegment(ImportRequest request);

    /** Makes a JFC; {@code onEvent} runs once per armed event, on any thread, and must return at once. */
    ProviderJfc createJfc(JfcConfig config, Runnable onEvent);

    ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc);

    /**
     * Makes a send queue: a JFS, or the sending half of a Jetty when {@code receives} is its JFR.
     *
     * @param receiveJfc where the records of what the Jetty receives go; null for the JFR's (S5.3)
     */
    ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc);

    ProviderJettyGroup createJettyGroup(JettyGroupConfig config);

    /** Asks the home of a JFR or Jetty for the right to send to it. */
    CompletableFuture<ProviderTarget> importQueue(JettyDescriptor descriptor, @Nullable Token token, Duration timeout);

    /**
     * Whether the descriptor, which may be forged, names the context that a message came from, and {@link #importQueue} asks
     * that one or fails. Answers at once, and sends nothing.
     *
     * @param source the queue that the record of the message names
     */
    default boolean leadsTo(JettyDescriptor descriptor, JettyId source) {
        JettyId id = descriptor.id();
        return id.uasid() == source.uasid() && id.eid().equals(source.eid());
    }

    /** Finds a segment that was published under {@code name} where this context looks for names. */
    CompletableFuture<NamedSegment> lookup(String name, Duration timeout);

    /** Everything that is published where this context looks for names, with who uses it. */
    CompletableFuture<List<PublishedSegment>> published(Duration timeout);

    /**
     * What the other contexts that it can see have of these kinds: its own user's, where it looks for names. One that
     * does not answer in time says so in its place. A provider without such a place sees nobody.
     */
    default CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Has contexts that {@link #inspect} sees begin or end taking the times of their steps. A provider that sees nobody
     * tells nobody.
     *
     * @param pid of the process whose contexts are meant; empty for all
     * @return whom it was said to, without resources
     */
    default CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        return CompletableFuture.completedFuture(List.of());
    }

    /** Its transport paths, with what they have counted. A provider without paths has none to show. */
    default List<TransportPath> paths() {
        return List.of();
    }

    /**
     * Ends the address space: everything in it has been closed. Tells the peers, and gives back every resource.
     * Idempotent.
     */
    CompletableFuture<Void> close(Duration timeout);

    /**
     * A published segment as its home hands it out.
     *
     * @param token null when it was published without
     */
    record NamedSegment(
            SegmentDescriptor descriptor, @Nullable Token token) {}

    /**
     * A line of the list of names.
     *
     * @param users one description per importer
     */
    record PublishedSegment(String name, SegmentDescriptor descriptor, String home, List<String> users) {}
}
