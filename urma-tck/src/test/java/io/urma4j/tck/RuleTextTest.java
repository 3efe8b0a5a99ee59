package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTextTest {
    private static List<RuleText> read(String page) {
        return RuleText.read(new BufferedReader(new StringReader(page)));
    }

    @Test
    void ruleHasIdTitleAndSection() {
        var rules = read("""
                # Page
                ## 7. Segments, access, tokens
                text of S7.1, which is no rule
                - **S7.10 Grants.** A home may give
                  a key.
                """);

        assertThat(rules).containsExactly(new RuleText("S7.10", "Grants", "7. Segments, access, tokens"));
    }

    @Test
    void ruleWithoutTitleIsAMistakeInThePage() {
        assertThatThrownBy(() -> read("- S7.10 A home may give\n"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("S7.10 A home");
    }

    @Test
    void pageOfTheProjectIsReadWhole() {
        assertThat(RuleText.all())
                .extracting(RuleText::id)
                .startsWith("S1.1", "S1.2")
                .endsWith("S16.7", "S16.8")
                .hasSizeGreaterThan(90);
    }
}
