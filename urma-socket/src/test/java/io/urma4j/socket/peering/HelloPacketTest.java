package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Eid;
import io.urma4j.PeerId;
import io.urma4j.socket.peering.HelloPacket.Cookie;
import io.urma4j.tck.Seed;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HelloPacketTest {
    private static final PeerId HOME = new PeerId(Eid.parse("10.1.2.3"), 77, -5);
    private static final List<HelloPacket> ALL = List.of(
            new HelloPacket.Question(3, 5, new Cookie(-1, 2)),
            new HelloPacket.Challenge(4, -6, new Cookie(7, Long.MIN_VALUE)),
            new HelloPacket.Answer(3, 8, 9, HOME, "urma4j:a-line"));

    @Test
    void eachIsReadAsItWasWritten() {
        for (HelloPacket packet : ALL) {
            assertThat(HelloPacket.parse(ByteBuffer.wrap(packet.toBytes()))).contains(packet);
        }
    }

    @Test
    void noAnswerIsLongerThanAQuestion() {
        for (HelloPacket packet : ALL) {
            assertThat(packet.toBytes().length).isLessThanOrEqualTo(HelloPacket.QUESTION_BYTES);
        }
    }

    @Test
    void aShortQuestionIsNone() {
        ByteBuffer question = ByteBuffer.wrap(ALL.getFirst().toBytes());
        assertThat(HelloPacket.parse(question.slice(0, HelloPacket.QUESTION_BYTES - 1)))
                .as("one whose answer may be longer")
                .isEmpty();
    }

    @Test
    void changedAndCutBytesThrowNothing() {
        SplittableRandom random = Seed.randomFor("hello packets");
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer bytes =
                    ByteBuffer.wrap(ALL.get(random.nextInt(ALL.size())).toBytes());
            bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            bytes.limit(random.nextBoolean() ? bytes.limit() : random.nextInt(bytes.limit() + 1));
            assertThat(HelloPacket.parse(bytes)).isNotNull();
        }
    }
}
