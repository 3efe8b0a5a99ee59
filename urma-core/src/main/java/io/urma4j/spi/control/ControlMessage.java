package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.PeerSharing;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message between two contexts. A {@link Request} gets exactly one {@link Answer} with its number; a {@link Notice} gets
 * none. A provider sends other resources next to the message: shm attaches file descriptors to the messages that say so.
 */
public sealed interface ControlMessage {
    /** Requires an answer; the number is chosen by the sender, unique on the connection. */
    sealed interface Request extends ControlMessage {
        long request();
    }

    /** The answer to the request with that number. */
    sealed interface Answer extends ControlMessage {
        long request();
    }

    /** Needs no answer. */
    sealed interface Notice extends ControlMessage {}

    /**
     * The first message in each direction. The protocol's version comes first in every version, so that incompatible peers
     * can report the mismatch.
     *
     * @param features that the sender supports; both use those that both support
     * @param required features among them
     * @param wanted the incarnation that the sender addresses; 0 in the reply
     * @param address of the sender itself
     */
    record Hello(
            int major,
            int minor,
            long features,
            long required,
            Eid eid,
            int uasid,
            long incarnation,
            long wanted,
            String address)
            implements Notice {
        /** The same greeting, to the peer of that incarnation. */
        public Hello to(long addressed) {
            return new Hello(major, minor, features, required, eid, uasid, incarnation, addressed, address);
        }

        /** The readable part of a greeting whose layout this version does not know. */
        static Hello ofAnotherMajor(int major, int minor) {
            return new Hello(major, minor, 0, 0, Eid.ZERO, 0, 0, 0, "");
        }
    }

    /**
     * Requests the import of a segment.
     *
     * @param key of the endpoint in its descriptor, which selects one of the segments of that token id
     */
    record ImportSegment(
            long request,
            int tokenId,
            long key,
            Access access,
            @Nullable Token token) implements Request {}

    /**
     * The import is granted; shm: with the memfd, unless it is device memory.
     *
     * @param grant the home's number for this import, never reused
     * @param offset of the segment in the attached memory
     */
    record SegmentGranted(long request, long grant, Access access, long offset, long lengthBytes) implements Answer {}

    /** The importer has released the segment, and no longer touches the memory. */
    record Unimport(long grant) implements Notice {}

    /** The home revokes the import. */
    record Revoke(long grant) implements Notice {}

    /** The importer no longer touches the memory. */
    record Revoked(long grant) implements Notice {}

    /** Requests to use windows that the receiver grants (S7.10); shm: with the memory of the sender's operation counters. */
    record OpenWindows(long request) implements Request {}

    /**
     * The same for a further table of windows, numbered from 1; {@link OpenWindows} is for the first one. Only sent to a peer
     * with {@link ControlCodec#FEATURE_MANY_WINDOWS}.
     */
    record OpenWindowTable(long request, int table) implements Request {}

    /** Windows of the table can be used; shm: with the table of their generations. */
    record WindowsOpened(long request) implements Answer {}

    /**
     * Requests that the receiver serve its device memory to the sender, which has imported some; shm: with the sender's bounce
     * buffer. Answered by {@link Done}.
     */
    record OpenBounce(long request) implements Request {}

    /**
     * Requests a handle of imported device memory, which the sender opens by one of its clients. Only sent to a peer with {@link
     * ControlCodec#FEATURE_OPENED_DEVICE_MEMORY}. Refused unless the receiver shares the memory by one of them.
     *
     * @param grant number of the import
     * @param clients by name
     */
    record OpenShared(long request, long grant, List<String> clients) implements Request {
        public OpenShared {
            clients = List.copyOf(clients);
        }
    }

    /**
     * The sender of the request may open the memory, and from now on a revocation of the import waits for it.
     *
     * @param access to use it with: READ where WRITEs must go by the home
     * @param client that made the handle
     */
    record MemoryShared(long request, Access access, String client, Handle handle) implements Answer {}

    /** Bytes that only a client understands: 1 to {@link PeerSharing#MAX_HANDLE_BYTES}. */
    final class Handle {
        private final byte[] bytes;

        public Handle(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        public byte[] bytes() {
            return bytes.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Handle handle && Arrays.equals(bytes, handle.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "handle of " + bytes.length + " bytes"; // not its content, which opens the memory
        }
    }

    /** Requests permission to send to a JFR or Jetty. */
    record ImportQueue(
            long request,
            int queue,
            JettyDescriptor.Kind kind,
            @Nullable Token token) implements Request {}

    /** The properties of the queue that the sender needs. */
    record QueueGranted(long request, TransportMode mode, OrderType orderType, long attributes) implements Answer {}

    /** Requests a path for messages; shm: with the ring from which the sender of this message receives. */
    record OpenPath(long request, long ringBytes) implements Request {}

    /** The other half of the path; shm: with the ring from which the answerer receives. */
    record PathOpened(long request) implements Answer {}

    /** Requests to bind the receiver's RC Jetty {@code queue} to the sender's {@code partner}. */
    record Bind(long request, int queue, int partner, OrderType orderType) implements Request {}

    record Unbind(long request, int queue, int partner) implements Request {}

    /** Looks up a segment that the receiver published, with its token or without. */
    record Lookup(long request, String name, boolean withToken) implements Request {}

    /**
     * A published segment.
     *
     * @param key of the endpoint in its descriptor
     * @param users one description per importer; the last may give the number of further ones
     */
    record Named(
            long request,
            int tokenId,
            long key,
            long lengthBytes,
            Access access,
            TokenPolicy policy,
            @Nullable Token token,
            long vaBase,
            List<String> users)
            implements Answer {
        public Named {
            users = List.copyOf(users);
        }
    }

    /**
     * Inspects the receiver's context, for a person; only sent to a peer with {@link ControlCodec#FEATURE_INSPECT}.
     *
     * @param kind number of a kind of resource, as {@link ResourceText} has it; the receiver refuses an unknown one with
     *     EINVAL
     * @param after only resources with higher numbers are requested, so that no answer is long
     */
    record Inspect(long request, int kind, long after) implements Request {}

    /**
     * Resources of the context.
     *
     * @param resources as {@link ResourceText} writes them, in the order of their numbers
     * @param complete whether there are no more
     */
    record Inspected(long request, List<String> resources, boolean complete) implements Answer {
        public Inspected {
            resources = List.copyOf(resources);
        }
    }

    /** Starts or stops measuring in the receiver's context; only sent to a peer with {@link ControlCodec#FEATURE_MEASURE}. */
    record Measure(long request, boolean on) implements Request {}

    /** The request was executed; the answer has no content. */
    record Done(long request) implements Answer {}

    /** The request, or with number 0 the greeting, was refused. */
    record Refused(long request, UrmaStatus status, String reason) implements Answer {}

    /** The sender's context ends. It has released all memory of the receiver. */
    record Goodbye(String reason) implements Notice {}
}
