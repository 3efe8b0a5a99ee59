package io.urma4j.examples.blockstore.load;

import io.urma4j.examples.blockstore.store.BlockStore;
import java.util.ArrayDeque;

/**
 * What a read of one block may return: the content that was acknowledged last, or a later one that its client tried to write. Once
 * a read has returned a content, no earlier one may come back, so that counts as acknowledged.
 */
final class BlockModel {
    private static final Attempt NONE = new Attempt(0, 0);

    private Attempt acknowledged = NONE;
    private final ArrayDeque<Attempt> later = new ArrayDeque<>(); // by ascending revision

    private record Attempt(long revision, int lengthBytes) {}

    /** What a read has shown. */
    enum Verdict {
        FINE,
        /** An acknowledged content is gone. */
        LOST,
        /** A content that was never written. */
        UNKNOWN
    }

    /** A revision that no attempt has had. */
    long nextRevision() {
        return (later.isEmpty() ? acknowledged : later.getLast()).revision + 1;
    }

    /** Most bytes that a read may return. */
    int mostBytes() {
        int most = Math.max(BlockStore.LEAST_BYTES, acknowledged.lengthBytes);
        for (Attempt attempt : later) {
            most = Math.max(most, attempt.lengthBytes);
        }
        return most;
    }

    /** A write of {@link #nextRevision} begins. */
    void attempted(long revision, int lengthBytes) {
        later.addLast(new Attempt(revision, lengthBytes));
    }

    /** The attempt of that revision was acknowledged, or read. */
    void acknowledged(long revision) {
        while (!later.isEmpty() && later.getFirst().revision <= revision) {
            acknowledged = later.removeFirst();
        }
    }

    boolean isAcknowledged(long revision) {
        return revision == acknowledged.revision;
    }

    /** Judges a read that found nothing. */
    Verdict checkMissing() {
        return acknowledged.revision == 0 ? Verdict.FINE : Verdict.LOST;
    }

    /** Judges the revision and length that a read has returned. */
    Verdict check(long revision, long lengthBytes) {
        if (revision < acknowledged.revision) {
            return Verdict.LOST;
        }
        if (revision == acknowledged.revision) {
            return verdict(acknowledged, lengthBytes);
        }
        for (Attempt attempt : later) {
            if (attempt.revision == revision) {
                return verdict(attempt, lengthBytes);
            }
        }
        return Verdict.UNKNOWN;
    }

    private static Verdict verdict(Attempt written, long lengthBytes) {
        return written.revision > 0 && written.lengthBytes == lengthBytes ? Verdict.FINE : Verdict.UNKNOWN;
    }

    @Override
    public String toString() {
        return "acknowledged " + acknowledged + ", later " + later;
    }
}
