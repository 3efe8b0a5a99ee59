package io.urma4j.internal.descriptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import io.urma4j.DescriptorException;
import io.urma4j.Descriptors;
import io.urma4j.JettyDescriptor;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import org.junit.jupiter.api.Test;

/** S1.4, S1.3: the text form of descriptors, with and without token. */
class DescriptorTextTest {
    private static final int SECRET = 0x5EC2E7AA;
    private static final SharedSegment SEGMENT = new SharedSegment(Descriptors.segment(), Token.of(SECRET));
    private static final SharedJetty JETTY = new SharedJetty(Descriptors.jetty(), Token.of(SECRET));

    /** What a careless hand or a terminal makes of a character. */
    private static final String REPLACEMENTS = "AZaz09-_+/=.: \t\n\u00e4\u2028\ud83d";

    @Test
    void aLineTellsItsKind() {
        assertThat(SEGMENT.descriptor().toText()).startsWith("urma4j:segment:1:");
        assertThat(JETTY.descriptor().toText()).startsWith("urma4j:jetty:1:");
        assertThat(SEGMENT.toLine()).startsWith("urma4j:shared-segment:1:").matches("[!-~]+");
        assertThat(JETTY.toLine()).startsWith("urma4j:shared-jetty:1:").matches("[!-~]+");
    }

    @Test
    void whatWasWrittenIsRead() {
        assertThat(SegmentDescriptor.parse(SEGMENT.descriptor().toText())).isEqualTo(SEGMENT.descriptor());
        assertThat(JettyDescriptor.parse(JETTY.descriptor().toText())).isEqualTo(JETTY.descriptor());
        assertThat(SharedSegment.parse(SEGMENT.toLine())).isEqualTo(SEGMENT);
        assertThat(SharedJetty.parse(JETTY.toLine())).isEqualTo(JETTY);
    }

    @Test
    void blanksAroundALineAreIgnored() {
        assertThat(SharedSegment.parse(" \t" + SEGMENT.toLine() + "\r\n")).isEqualTo(SEGMENT);
    }

    @Test
    void anyChangedCharacterIsRefused() {
        String line = SEGMENT.toLine();
        for (int i = 0; i < line.length(); i++) {
            for (int r = 0; r < REPLACEMENTS.length(); r++) {
                char replacement = REPLACEMENTS.charAt(r);
                if (line.charAt(i) != replacement) {
                    assertRefused(line.substring(0, i) + replacement + line.substring(i + 1), "position " + i);
                }
            }
            assertRefused(line.substring(0, i) + (char) (line.charAt(i) ^ 1) + line.substring(i + 1), "bit at " + i);
        }
    }

    @Test
    void anyLostDoubledOrInsertedCharacterIsRefused() {
        String line = SEGMENT.toLine();
        for (int i = 0; i < line.length(); i++) {
            assertRefused(line.substring(0, i) + line.substring(i + 1), "lost at " + i);
            assertRefused(line.substring(0, i) + 'A' + line.substring(i), "inserted at " + i);
        }
        assertRefused(line + "A", "inserted behind");
        assertRefused(line + "=", "padded");
        assertRefused(line + " " + line, "twice");
    }

    @Test
    void anyTruncationIsRefused() {
        String line = SEGMENT.toLine();
        for (int length = 0; length < line.length(); length++) {
            assertRefused(line.substring(0, length), "length " + length);
        }
    }

    @Test
    void messagesShowNeitherTokenNorLine() {
        String line = SEGMENT.toLine();
        String body = line.substring(DescriptorKind.SHARED_SEGMENT.prefix().length());
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SharedSegment.parse("x" + line))
                .withMessageNotContaining(body.substring(0, 8));
        assertThat(SEGMENT.toString()).contains("hidden").doesNotContain(Integer.toString(SECRET));
        assertThat(JETTY.toString()).contains("hidden").doesNotContain(Integer.toString(SECRET));
    }

    @Test
    void aLineOfAnotherKindIsNamed() {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SharedSegment.parse(JETTY.toLine()))
                .withMessageContaining("the line is of a shared-jetty, not of a shared-segment");
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SegmentDescriptor.parse(SEGMENT.toLine()))
                .withMessageContaining("the line is of a shared-segment, not of a segment");
    }

    @Test
    void aNewerTextIsNamedByWhatIsReadHere() {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SharedSegment.parse("urma4j:shared-segment:2:AAAA"))
                .withMessageContaining("does not begin with 'urma4j:shared-segment:1:'");
    }

    @Test
    void moreThanTheLimitIsRefusedBeforeItIsLookedAt() {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SharedSegment.parse(" ".repeat(10) + "A".repeat(DescriptorText.MAX_CHARACTERS)))
                .withMessageContaining("more than the limit of 65536");
    }

    @Test
    @SuppressWarnings("NullAway") // what a careless caller does
    void emptyTextIsRefused() {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> SharedJetty.parse(" "))
                .withMessageContaining("the line is empty");
        assertThatExceptionOfType(DescriptorException.class).isThrownBy(() -> SharedJetty.parse(null));
    }

    private static void assertRefused(String line, String what) {
        try {
            SharedSegment.parse(line);
        } catch (DescriptorException expected) {
            assertThat(expected).hasMessageStartingWith("descriptor: ");
            return;
        }
        fail("read although changed: " + what);
    }
}
