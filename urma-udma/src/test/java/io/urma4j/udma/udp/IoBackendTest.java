package io.urma4j.udma.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the setting {@code urma.udma.io} says. */
class IoBackendTest {
    @ParameterizedTest
    @EnumSource
    void eachIsReadByItsNameInAnyCase(IoBackend backend) {
        assertThat(IoBackend.parse(backend.name().toLowerCase(Locale.ROOT))).isEqualTo(backend);
        assertThat(IoBackend.parse(backend.name())).isEqualTo(backend);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "auto", "AUTO"})
    void theChoiceIsLeftToThePort(String text) {
        assertThat(IoBackend.parse(text)).isNull();
    }

    @Test
    void anythingElseIsRefusedWithWhatThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IoBackend.parse("sendmmsg"))
                .withMessage("backend 'sendmmsg' is none of auto, gso, mmsg, channel");
    }
}
