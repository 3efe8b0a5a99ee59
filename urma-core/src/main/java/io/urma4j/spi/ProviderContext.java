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
 * An address space on a device. The caller has checked the arguments against the device's attributes; handles belong to
 * this context.
 *
 * <p>Calls that may have to ask a peer return futures. These fail with {@code UrmaException}, never later than their
 * timeout, and a failed call changes nothing. All other calls are local and return at once. Safe for any thread.
 */
public interface ProviderContext {
    Eid eid();

    int uasid();

    /** New for each opening, with at least 48 random bits: no object of an earlier life of this address space is valid (S1.5). */
    long incarnation();

    /** Allocates memory that this provider can share: zeroed, page-aligned. */
    ProviderMemory allocate(long lengthBytes, AllocOptions options);

    /** A number for segments, valid until {@link #freeTokenId}. */
    int allocateTokenId();

    /** Frees an id that no segment of this context uses any more. It is not reused while an import could name it (S4.5). */
    void freeTokenId(int tokenId);

    CompletableFuture<ProviderSegment> register(SegmentRequest request);

    CompletableFuture<ProviderImport> importSegment(ImportRequest request);

    /** Creates a JFC; {@code onEvent} runs once per armed event, on any thread, and must return at once. */
    ProviderJfc createJfc(JfcConfig config, Runnable onEvent);

    ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc);

    /**
     * Creates a send queue: a JFS, or the send half of a Jetty if {@code receives} is its JFR.
     *
     * @param receiveJfc for the Jetty's receive records; null for the JFR's (S5.3)
     */
    ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc);

    ProviderJettyGroup createJettyGroup(JettyGroupConfig config);

    /** Asks the home of a JFR or Jetty for permission to send to it. */
    CompletableFuture<ProviderTarget> importQueue(JettyDescriptor descriptor, @Nullable Token token, Duration timeout);

    /**
     * Whether the descriptor, which may be forged, names the context that sent a message, and {@link #importQueue} asks
     * that context or fails. Returns at once, and sends nothing.
     *
     * @param source the queue in the record of the message
     */
    default boolean leadsTo(JettyDescriptor descriptor, JettyId source) {
        JettyId id = descriptor.id();
        return id.uasid() == source.uasid() && id.eid().equals(source.eid());
    }

    /** Finds a segment that was published under {@code name} in the directory of this context. */
    CompletableFuture<NamedSegment> lookup(String name, Duration timeout);

    /** Everything that is published in the directory of this context, with its users. */
    CompletableFuture<List<PublishedSegment>> published(Duration timeout);

    /**
     * The objects of these kinds in other contexts of the same user that share this context's directory. The view of a
     * context that does not answer in time says so. A provider without a directory returns an empty list.
     */
    default CompletableFuture<List<ContextView>> inspect(Set<Resource.Kind> kinds, Duration timeout) {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Starts or stops measuring in the contexts that {@link #inspect} sees. A provider that sees none notifies none.
     *
     * @param pid of the process whose contexts are meant; empty for all
     * @return the contexts that were notified, without resources
     */
    default CompletableFuture<List<ContextView>> measure(boolean on, OptionalLong pid, Duration timeout) {
        return CompletableFuture.completedFuture(List.of());
    }

    /** Its transport paths, with what they have counted. A provider without paths has none to show. */
    default List<TransportPath> paths() {
        return List.of();
    }

    /**
     * Closes the address space, after everything in it has been closed. Notifies the peers, and releases every resource.
     * Idempotent.
     */
    CompletableFuture<Void> close(Duration timeout);

    /**
     * A published segment, as its home describes it.
     *
     * @param token null if it was published without
     */
    record NamedSegment(
            SegmentDescriptor descriptor, @Nullable Token token) {}

    /**
     * An entry of the list of names.
     *
     * @param users one description per importer
     */
    record PublishedSegment(String name, SegmentDescriptor descriptor, String home, List<String> users) {}
}
