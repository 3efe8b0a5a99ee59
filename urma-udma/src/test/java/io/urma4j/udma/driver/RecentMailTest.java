package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What comes again word for word is seen to once in a moment, and what comes for the first time always. */
class RecentMailTest {
    private static final Eid SOURCE = Eid.of(InetAddress.ofLiteral("127.0.71.42"));
    private static final Eid OTHER = Eid.of(InetAddress.ofLiteral("127.0.71.43"));
    private static final long START_NANOS = 5;

    private final RecentMail mail = new RecentMail();

    private boolean hasCome(Eid source, long word, long nanos) {
        ByteBuffer datagram = ByteBuffer.allocate(56).putLong(0, word);
        boolean hasCome = mail.hasCome(source, datagram, nanos);
        assertThat(datagram.remaining()).as("it is read afterwards").isEqualTo(56);
        return hasCome;
    }

    @Test
    void theSameIsKnownAgainForAMomentAndNotLonger() {
        long end = START_NANOS + RecentMail.MOMENT_NANOS;

        assertThat(hasCome(SOURCE, 1, START_NANOS)).isFalse();
        assertThat(hasCome(SOURCE, 1, START_NANOS)).isTrue();
        assertThat(hasCome(SOURCE, 1, end - 1)).as("counted from the first").isTrue();
        assertThat(hasCome(SOURCE, 1, end)).isFalse();
        assertThat(hasCome(SOURCE, 1, end)).isTrue();
    }

    @Test
    void whatDiffersInSourceOrInAByteIsNew() {
        hasCome(SOURCE, 1, START_NANOS);

        assertThat(hasCome(SOURCE, 2, START_NANOS)).isFalse();
        assertThat(hasCome(OTHER, 1, START_NANOS)).isFalse();
    }

    /** More than there are places for, so that many have the place of another. */
    @Test
    void nothingNewIsTakenForWhatHasCome() {
        for (int word = 0; word < 10_000; word++) {
            assertThat(hasCome(SOURCE, word, START_NANOS))
                    .as("datagram %d", word)
                    .isFalse();
        }
    }
}
