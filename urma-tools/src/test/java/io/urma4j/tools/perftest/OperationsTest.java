package io.urma4j.tools.perftest;

import static io.urma4j.tools.perftest.ClashesTest.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationsTest {
    private static List<Long> sizesOfOtherCode(String words) {
        Settings settings = settings(words);
        return Operations.sizes(settings).stream()
                .filter(size -> Operations.isOtherCode(settings, size))
                .toList();
    }

    @Test
    void wordsAreWrittenByOtherCodeThanWhatIsLonger() {
        assertThat(sizesOfOtherCode("write_lat --all=true")).containsExactly(16L);
        assertThat(sizesOfOtherCode("write_lat --min_size=3 --max_size=24")).isEmpty();
    }

    @Test
    void turnOfAWriteIsNoticedInMemoryOfTheHost() {
        assertThat(Operations.needed(settings("write_lat --size=8"))).containsExactly(Opcode.WRITE);
        assertThat(Operations.needed(settings("write_lat --size=8 SERVER_MEMORY=npu:0")))
                .containsExactly(Opcode.WRITE_NOTIFY);
        assertThat(Operations.needed(settings("write_lat --size=8 CLIENT_MEMORY=npu:0")))
                .containsExactly(Opcode.WRITE_NOTIFY);
        assertThat(Operations.needed(settings("write_bw --size=8 SERVER_MEMORY=npu:0")))
                .containsExactly(Opcode.WRITE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw --all=true",
                "read_lat --all=true",
                "send_lat --all=true",
                "write_lat --all=true --enable_notify=true",
                "write_lat --all=true SERVER_MEMORY=npu:0"
            })
    void allElseIsTheSameForEachSize(String words) {
        assertThat(sizesOfOtherCode(words)).isEmpty();
    }
}
