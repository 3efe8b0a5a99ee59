package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** S1.3, S7.5: tokens stay secret. */
class TokenTest {
    private static final int SECRET = 1_234_567_891;

    @Test
    void noTextOfItOrOfWhatHoldsItShowsTheValue() {
        Token token = Token.of(SECRET);
        Stream.of(
                        token,
                        new SharedSegment(Descriptors.segment(), token),
                        new SharedJetty(Descriptors.jetty(), token),
                        JfrConfig.builder().token(token).build())
                .forEach(holder -> assertThat(holder.toString())
                        .doesNotContain(Integer.toString(SECRET))
                        .doesNotContainIgnoringCase(Integer.toHexString(SECRET)));
        assertThat(token.hashCode()).isEqualTo(Token.of(1).hashCode());
    }

    @Test
    void equalValuesAreEqual() {
        assertThat(Token.of(SECRET)).isEqualTo(Token.of(SECRET)).isNotEqualTo(Token.of(SECRET + 1));
        assertThat(Token.of(SECRET)).isNotEqualTo(SECRET);
    }

    @Test
    void randomOnesDiffer() {
        assertThat(Stream.generate(Token::random).limit(20).map(Token::value).distinct())
                .hasSizeGreaterThan(15);
    }
}
