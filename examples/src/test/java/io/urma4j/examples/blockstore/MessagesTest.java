package io.urma4j.examples.blockstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests and replies to the byte. */
class MessagesTest {
    private static final Request WRITE = new Request(Request.Kind.WRITE, 11, 12, 13, 14, 4096, 0xCAFE_BABE);

    private static byte[] bytesOf(Request request) {
        byte[] bytes = new byte[Head.BYTES];
        request.write(MemorySegment.ofArray(bytes));
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void requestsAreReadAsTheyWereWritten(Request.Kind kind) {
        Request request = new Request(kind, -1, Long.MIN_VALUE, 13, 14, 4096, -5);

        assertThat(Request.read(MemorySegment.ofArray(bytesOf(request)))).isEqualTo(request);
    }

    @ParameterizedTest
    @EnumSource
    void repliesAreReadAsTheyWereWritten(Reply.Status status) {
        Reply reply = new Reply(status, 65_535, 11, 12, 13, 4096, -5, "why");

        assertThat(Reply.read(reply.toMessage())).isEqualTo(reply);
    }

    @Test
    void aLongReasonIsCut() {
        Reply reply = Reply.of(Reply.Status.BROKEN, WRITE, "x".repeat(5000));

        assertThat(Reply.read(reply.toMessage()).text()).isEqualTo("x".repeat(Reply.MOST_TEXT_BYTES));
    }

    @Test
    void everyTruncationAndEveryFlippedBitIsRefused() {
        byte[] bytes = bytesOf(WRITE);
        for (int length = 0; length < bytes.length; length++) {
            MemorySegment cut = MemorySegment.ofArray(bytes).asSlice(0, length);
            assertThatThrownBy(() -> Request.read(cut)).isInstanceOf(BadMessageException.class);
        }
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> Request.read(MemorySegment.ofArray(flipped)))
                    .as("bit " + bit)
                    .isInstanceOf(BadMessageException.class);
        }
    }

    @Test
    void randomBytesAreRefusedAndNothingElseHappens() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            assertThatThrownBy(() -> Request.read(MemorySegment.ofArray(bytes)))
                    .as("seed " + seed)
                    .isInstanceOf(BadMessageException.class);
            assertThatThrownBy(() -> Reply.read(MemorySegment.ofArray(bytes)))
                    .as("seed " + seed)
                    .isInstanceOf(BadMessageException.class);
        }
    }

    @Test
    void unknownKindsAreRefused() {
        byte[] bytes = new byte[Head.BYTES];
        new Head(77, 0, 1, 2, 3, 4, 5, 6).write(MemorySegment.ofArray(bytes));

        assertThatThrownBy(() -> Request.read(MemorySegment.ofArray(bytes))).hasMessage("a request of kind 77");
        assertThatThrownBy(() -> Reply.read(MemorySegment.ofArray(bytes))).hasMessage("a reply of status 77");
    }

    @Test
    void valuesOutsideOfTheirLimitsAreRefusedByName() {
        assertThatThrownBy(() -> new Request(Request.Kind.READ, 1, 1, -1, 0, 4096, 0).check())
                .hasMessage("block is -1, must lie in 0…281474976710655");
        assertThatThrownBy(() -> new Request(Request.Kind.READ, 1, 1, 1L << 48, 0, 4096, 0).check())
                .hasMessage("block is 281474976710656, must lie in 0…281474976710655");
        assertThatThrownBy(() -> new Request(Request.Kind.READ, 1, 1, 1, 0, 255, 0).check())
                .hasMessage("length is 255, must lie in 256…4194304");
        assertThatThrownBy(() -> new Request(Request.Kind.WRITE, 1, 1, 1, 1, (4 << 20) + 1, 0).check())
                .hasMessage("length is 4194305, must lie in 256…4194304");
        assertThatThrownBy(() -> new Request(Request.Kind.WRITE, 1, 1, 1, 0, 4096, 0).check())
                .hasMessage("revision is 0, must lie in 1…9223372036854775807");
    }

    @Test
    void theLayoutIsTheDocumentedOne() {
        MemorySegment bytes = MemorySegment.ofArray(bytesOf(WRITE));

        assertThat(bytes.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(new byte[] {'U', '4', 'B', 'S', 1, 2, 0, 0});
        assertThat(bytes.asByteBuffer().getLong(24)).isEqualTo(13);
        assertThat(bytes.asByteBuffer().getInt(44)).isEqualTo(0xCAFE_BABE);
    }
}
