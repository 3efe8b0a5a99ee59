package io.urma4j.udma.transport;

import io.urma4j.udma.wire.Aeth;
import java.util.function.ObjLongConsumer;

/** The counters of a connection, for diagnosis. Plain numbers, owned by the connection's thread. */
@SuppressWarnings("EnumOrdinal") // the enumeration numbers the slots of an array: to count allocates nothing
public final class Traffic {
    /** What is counted, in the order to be shown. */
    public enum Event {
        SENT("sent"),
        RECEIVED("received"),
        /** Among the received packets: they took the short way of {@code HeaderPrediction}. */
        PREDICTED("predicted"),
        /** Among the sent packets: they took the short way of {@code Connection.startAndSend}. */
        SENT_AT_ONCE("sentAtOnce"),
        /** Among the sent packets. */
        RETRANSMITTED("retransmitted"),
        /** An acknowledgement was overdue, and the oldest packet was retransmitted alone. */
        PROBE("probes"),
        /** The timeout expired. */
        TIMEOUT("timeouts"),
        /** Packets of the peer were missing (NAK 0x60 sent). */
        GAP_SEEN("gapsSeen"),
        /** The peer has missed packets of this end (NAK 0x60 received). */
        GAP_NAK("gapNaks"),
        /** A duplicate request. */
        DUPLICATE("duplicates"),
        /** A message of the peer found no receive work request here. */
        RNR_SENT("rnrSent"),
        RNR_RECEIVED("rnrReceived"),
        /** A switch on the path has marked a packet of the peer. */
        MARKED("marked"),
        CNP_SENT("cnpSent"),
        CNP_RECEIVED("cnpReceived"),
        NAK_INVALID_SENT("nakInvalidSent"),
        NAK_INVALID_RECEIVED("nakInvalidReceived"),
        NAK_ACCESS_SENT("nakAccessSent"),
        NAK_ACCESS_RECEIVED("nakAccessReceived"),
        NAK_OPERATION_SENT("nakOperationSent"),
        NAK_OPERATION_RECEIVED("nakOperationReceived"),
        /** A response to a request that is unknown or over, or an opcode of another transport. */
        IGNORED("ignored"),
        /** A request with the PSN of a buffered one but different content: both were dropped. */
        CONTRADICTED("contradicted");

        private static final Event[] ALL = values();

        private final String text;

        Event(String text) {
            this.text = text;
        }
    }

    private final long[] counts = new long[Event.ALL.length];

    Traffic() {}

    /** How often that has happened. */
    public long count(Event event) {
        return counts[event.ordinal()];
    }

    void add(Event event) {
        counts[event.ordinal()]++;
    }

    /** A request of the peer was refused with that syndrome of a NAK. */
    void nakSent(int syndrome) {
        add(nak(syndrome, Event.NAK_INVALID_SENT, Event.NAK_ACCESS_SENT, Event.NAK_OPERATION_SENT));
    }

    /** The peer has refused a request with that syndrome of a NAK. */
    void nakReceived(int syndrome) {
        add(nak(syndrome, Event.NAK_INVALID_RECEIVED, Event.NAK_ACCESS_RECEIVED, Event.NAK_OPERATION_RECEIVED));
    }

    private static Event nak(int syndrome, Event invalid, Event access, Event operation) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST, Aeth.NAK_INVALID_RD_REQUEST -> invalid;
            case Aeth.NAK_REMOTE_ACCESS, Aeth.NAK_VALUE_ACCESS -> access;
            default -> operation;
        };
    }

    /** Names and values of a range of events, for people. */
    void forEach(Event first, Event last, ObjLongConsumer<String> reader) {
        for (int i = first.ordinal(); i <= last.ordinal(); i++) {
            reader.accept(Event.ALL[i].text, counts[i]);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("counters");
        forEach(Event.SENT, Event.CONTRADICTED, (name, value) -> {
            if (value > 0) {
                text.append(' ').append(name).append(' ').append(value);
            }
        });
        return text.toString();
    }
}
