package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SourceTest {
    private static final String LINE = new SharedSegment(
                    new SegmentDescriptor(
                            Eid.parse("::ffff:10.1.2.3"),
                            1,
                            2,
                            3,
                            4096,
                            Access.READ,
                            TokenPolicy.PLAIN_TEXT,
                            new Capabilities(true, true, true, MemoryKind.HOST),
                            List.of(new Endpoint("nosuch", "x", 1, 0, false))),
                    Token.of(0x5EC2E7))
            .toLine();

    private final Source.Converter converter = new Source.Converter();

    @Test
    void knowsItsThreeForms() {
        assertThat(converter.convert("-")).isEqualTo(new Source.StandardInput());
        assertThat(converter.convert("@a/line")).isEqualTo(new Source.LineFile(Path.of("a/line")));
        assertThat(converter.convert("shm:orders")).isEqualTo(new Source.Name("shm", "orders"));
        String longest = "n".repeat(255);
        assertThat(converter.convert("shm:" + longest)).isEqualTo(new Source.Name("shm", longest));
    }

    @Test
    void refusesALineAsAnArgumentAndDoesNotRepeatIt() {
        assertThatThrownBy(() -> converter.convert(LINE))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("holds the secret")
                .hasMessageContaining("'-'")
                .hasMessageContaining("'@FILE'")
                .message()
                .doesNotContain(LINE.substring(40));
    }

    @Test
    void refusesADamagedLineAsAnArgumentWhereverItIsDamaged() {
        for (int i = 0; i < LINE.length(); i++) {
            String damaged = LINE.substring(0, i) + '?' + LINE.substring(i + 1);

            assertThat(Source.looksLikeLine(damaged)).as("damaged at %d", i).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "@", "orders", "shm:", "shm:a/b", "SHM:orders", "shm:.hidden"})
    void refusesWhatIsNoSourceAndNamesTheForms(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is no source")
                .hasMessageContaining("shm:orders");
    }

    @Test
    void takesLinesOutOfMessages() {
        String message = "Unmatched argument at index 1: '" + LINE + "'";

        assertThat(Source.withoutLines(message, List.of("fetch", LINE)))
                .isEqualTo("Unmatched argument at index 1: '(a share line)'");
    }

    @Test
    void readsOneLineOfStandardInputAndNotItsEnd() throws Exception {
        InputStream in = stdin(LINE + "\nmore");

        assertThatThrownBy(() -> new Source.StandardInput().find(new DeviceOption(), in))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("this machine has no device of kind nosuch"); // so far it went: the line was read

        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("more");
    }

    @Test
    void refusesEmptyEndlessAndForeignInput() {
        assertThatThrownBy(() -> new Source.StandardInput().find(new DeviceOption(), stdin("\n")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("standard input holds no share line: it is empty");
        assertThatThrownBy(() -> new Source.StandardInput().find(new DeviceOption(), stdin("x".repeat(20_000))))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("longer than 16384 bytes");
        assertThatThrownBy(() -> new Source.StandardInput().find(new DeviceOption(), stdin("hello\n")))
                .isInstanceOf(DescriptorException.class);
    }

    private static InputStream stdin(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
