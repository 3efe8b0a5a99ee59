package io.urma4j.shm.control;

import io.urma4j.Token;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.util.List;
import java.util.Objects;

/** What a context draws at random and names in its messages, so that it differs between a recording and today. */
record RecordedNames(int uasid, long incarnation, String address, int tokenId, long key, Token token, long grant) {
    /** The same message with those of {@code to} wherever it has ours. */
    ControlMessage in(ControlMessage message, RecordedNames to) {
        return switch (message) {
            case Hello m ->
                new Hello(
                        m.major(),
                        m.minor(),
                        m.features(),
                        m.required(),
                        m.eid(),
                        swapped(m.uasid(), uasid, to.uasid),
                        swapped(m.incarnation(), incarnation, to.incarnation),
                        swapped(m.wanted(), incarnation, to.incarnation),
                        swapped(m.address(), address, to.address));
            case ImportSegment m ->
                new ImportSegment(
                        m.request(),
                        swapped(m.tokenId(), tokenId, to.tokenId),
                        swapped(m.key(), key, to.key),
                        m.access(),
                        swapped(Objects.requireNonNull(m.token()), token, to.token));
            case SegmentGranted m ->
                new SegmentGranted(
                        m.request(), swapped(m.grant(), grant, to.grant), m.access(), m.offset(), m.lengthBytes());
            case Named m ->
                new Named(
                        m.request(),
                        swapped(m.tokenId(), tokenId, to.tokenId),
                        swapped(m.key(), key, to.key),
                        m.lengthBytes(),
                        m.access(),
                        m.policy(),
                        swapped(Objects.requireNonNull(m.token()), token, to.token),
                        0, // an address in the home's process
                        List.of()); // and the numbers of its users' processes
            case Revoke m -> new Revoke(swapped(m.grant(), grant, to.grant));
            case Revoked m -> new Revoked(swapped(m.grant(), grant, to.grant));
            default -> message;
        };
    }

    private static <T> T swapped(T value, T from, T to) {
        return value.equals(from) ? to : value;
    }
}
