package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SharedSegment;
import java.time.Duration;
import java.util.List;

/** A segment at its home, with plain loads and stores. */
public interface HomeSegment extends HomeObject {
    /** Descriptor and token, for importers. */
    SharedSegment shared();

    default SegmentDescriptor descriptor() {
        return shared().descriptor();
    }

    default int tokenId() {
        return descriptor().tokenId();
    }

    long lengthBytes();

    /** Fills the whole with {@code payload}. */
    void fill(Payload payload);

    void put(long offset, byte[] bytes);

    byte[] get(long offset, int lengthBytes);

    /** Where the bytes at {@code offset} first differ from bytes {@code from…} of {@code payload}, or -1. */
    long firstDifference(Payload payload, long offset, long from, long lengthBytes);

    /** Whether all these bytes are zero. */
    boolean isZero(long offset, long lengthBytes);

    /** Eight bytes, with acquire. */
    long word(long offset);

    /** Eight bytes, with release. */
    void setWord(long offset, long value);

    /** Waits until the eight bytes hold {@code value}. */
    void awaitWord(long offset, long value);

    /** One description per importer. */
    List<String> importers();

    void publish(String name);

    /**
     * Gives a window of it.
     *
     * @param importer the index among its current importers, in the order of their imports
     */
    HomeGrant grant(int importer, long offset, long lengthBytes, Access access);

    /** Gives a window of it to a peer, which need not import it. Its own name, since calls travel by name. */
    HomeGrant grantTo(PeerId peer, long offset, long lengthBytes, Access access);

    /** Ends the registration; the memory stays, and can be read as before. */
    Revocation unregister(Duration timeout);
}
