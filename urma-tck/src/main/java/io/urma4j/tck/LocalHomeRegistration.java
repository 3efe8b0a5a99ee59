package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SharedSegment;
import java.time.Duration;
import java.util.List;

/** The registration of a segment of a home in this process, wherever its bytes lie. */
abstract class LocalHomeRegistration implements HomeSegment {
    private final LocalSegment segment;

    LocalHomeRegistration(LocalSegment segment) {
        this.segment = segment;
    }

    final LocalSegment segment() {
        return segment;
    }

    @Override
    public SharedSegment shared() {
        return new SharedSegment(segment.descriptor(), segment.token());
    }

    @Override
    public int tokenId() {
        return segment.tokenId();
    }

    @Override
    public long lengthBytes() {
        return segment.lengthBytes();
    }

    @Override
    public void awaitWord(long offset, long value) {
        Patience.await("value " + value + " at offset " + offset + " of " + segment, () -> word(offset) == value);
    }

    @Override
    public List<String> importers() {
        return segment.importers();
    }

    @Override
    public HomeGrant grant(int importer, long offset, long lengthBytes, Access access) {
        return new LocalHomeGrant(segment.grant(segment.importing().get(importer), offset, lengthBytes, access));
    }

    @Override
    public HomeGrant grantTo(PeerId peer, long offset, long lengthBytes, Access access) {
        return new LocalHomeGrant(segment.grant(peer, offset, lengthBytes, access));
    }

    @Override
    public void publish(String name) {
        segment.publish(name);
    }

    @Override
    public Revocation unregister(Duration timeout) {
        return segment.unregister(timeout);
    }

    @Override
    public String toString() {
        return segment.toString();
    }
}
