package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message between two contexts. A {@link Request} gets exactly one {@link Answer} with its number; a {@link Notice}
 * gets none. Whatever cannot be a number, a provider carries beside the message: shm sends descriptors with those that
 * say so.
 */
public sealed interface ControlMessage {
    /** Wants an answer; the number is the sender's, unique on the connection. */
    sealed interface Request extends ControlMessage {
        long request();
    }

    /** The answer to the request with that number. */
    sealed interface Answer extends ControlMessage {
        long request();
    }

    /** Wants no answer. */
    sealed interface Notice extends ControlMessage {}

    /**
     * The first message in each direction. The protocol's version comes first in every version, so that strangers can
     * part politely.
     *
     * @param features that the sender knows; both use what both know
     * @param required those of them that it cannot do without
     * @param wanted the incarnation that the sender wants to talk to; 0 in the reply
     * @param address where the sender itself can be reached
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
        /** What can be read of a greeting whose layout this version does not know. */
        static Hello ofAnotherMajor(int major, int minor) {
            return new Hello(major, minor, 0, 0, Eid.ZERO, 0, 0, 0, "");
        }
    }

    /**
     * Wants to import a segment.
     *
     * @param key of the endpoint in its descriptor: which of the segments of that token id
     */
    record ImportSegment(
            long request,
            int tokenId,
            long key,
            Access access,
            @Nullable Token token) implements Request {}

    /**
     * The import is granted; shm: with the memfd.
     *
     * @param grant the home's number for this import, never used again
     * @param offset of the segment in what comes with the message
     */
    record SegmentGranted(long request, long grant, Access access, long offset, long lengthBytes) implements Answer {}

    /** The importer has given it back, and touches the memory no more. */
    record Unimport(long grant) implements Notice {}

    /** The home takes it back. */
    record Revoke(long grant) implements Notice {}

    /** The importer touches the memory no more. */
    record Revoked(long grant) implements Notice {}

    /**
     * Wants to use windows that the receiver grants (S7.10); shm: with the memory in which the sender announces its
     * operations.
     */
    record OpenWindows(long request) implements Request {}

    /** Windows can be used; shm: with the table of their generations. */
    record WindowsOpened(long request) implements Answer {}

    /** Wants to send to a JFR or Jetty. */
    record ImportQueue(
            long request,
            int queue,
            JettyDescriptor.Kind kind,
            @Nullable Token token) implements Request {}

    /** What the sender must know of the queue. */
    record QueueGranted(long request, TransportMode mode, OrderType orderType, long attributes) implements Answer {}

    /** Wants a path for messages; shm: with the ring that the sender of this receives from, and its eventfd. */
    record OpenPath(long request, long ringBytes) implements Request {}

    /** The other half of the path; shm: with the same two descriptors of the answerer. */
    record PathOpened(long request) implements Answer {}

    /** Wants to bind the receiver's RC Jetty {@code queue} to the sender's {@code partner}. */
    record Bind(long request, int queue, int partner, OrderType orderType) implements Request {}

    record Unbind(long request, int queue, int partner) implements Request {}

    /** Asks for a segment that the receiver published, with its token or without. */
    record Lookup(long request, String name, boolean withToken) implements Request {}

    /**
     * A published segment.
     *
     * @param key of the endpoint in its descriptor
     * @param users one description per importer; the last may say how many more there are
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
     * Looks into the receiver's context, for a person; only to who knows {@link ControlCodec#FEATURE_INSPECT}.
     *
     * @param kind number of a kind of resource, as {@link ResourceText} has it; one that the receiver does not know is
     *     refused with EINVAL
     * @param after of which only those with higher numbers are wanted, so that no answer is long
     */
    record Inspect(long request, int kind, long after) implements Request {}

    /**
     * What the context has.
     *
     * @param resources as {@link ResourceText} writes them, in the order of their numbers
     * @param complete whether there are no more
     */
    record Inspected(long request, List<String> resources, boolean complete) implements Answer {
        public Inspected {
            resources = List.copyOf(resources);
        }
    }

    /**
     * Has the receiver's context take the times of its steps, or ends that; only to who knows {@link
     * ControlCodec#FEATURE_MEASURE}.
     */
    record Measure(long request, boolean on) implements Request {}

    /** The request was done, and there is nothing more to say. */
    record Done(long request) implements Answer {}

    /** The request, or with number 0 the greeting, was refused. */
    record Refused(long request, UrmaStatus status, String reason) implements Answer {}

    /** The sender's context ends. It has let go of all memory of the receiver. */
    record Goodbye(String reason) implements Notice {}
}
