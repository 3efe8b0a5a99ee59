package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the setting {@code urma.udma.io} says. */
class IoWayTest {
    @ParameterizedTest
    @EnumSource
    void eachIsReadByItsNameInAnyCase(IoWay way) {
        assertThat(IoWay.parse(way.option())).isEqualTo(way);
        assertThat(IoWay.parse(way.name())).isEqualTo(way);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "auto", "AUTO"})
    void theChoiceIsLeftToThePort(String text) {
        assertThat(IoWay.parse(text)).isNull();
    }

    @Test
    void anythingElseIsRefusedWithWhatThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IoWay.parse("sendmmsg"))
                .withMessage("way 'sendmmsg' is none of auto, gso, mmsg, channel");
    }
}
