package io.urma4j.socket.peering;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.tck.Seed;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GreetingTest {
    private static final List<Greeting> ALL = List.of(
            new Greeting.Hello(1, 5, "a line"),
            new Greeting.Welcome(-1, "another"),
            new Greeting.Refusal(3, 9, "no memory"),
            new Greeting.Pending(Long.MAX_VALUE));

    @Test
    void eachIsReadAsItWasWritten() {
        for (Greeting greeting : ALL) {
            assertThat(Greeting.parse(greeting.toBytes())).contains(greeting);
        }
    }

    @Test
    void bytesOfNoGreetingAreNone() {
        assertThat(Greeting.parse(new byte[0])).isEmpty();
        assertThat(Greeting.parse(new byte[15])).isEmpty();
        assertThat(Greeting.parse(new byte[16])).isEmpty();
        assertThat(Greeting.parse(new byte[Greeting.MAX_BYTES + 1])).isEmpty();
    }

    @Test
    void changedBytesThrowNothing() {
        SplittableRandom random = Seed.randomFor("greetings");
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = ALL.get(random.nextInt(ALL.size())).toBytes();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            assertThat(Greeting.parse(bytes)).isNotNull();
        }
    }
}
