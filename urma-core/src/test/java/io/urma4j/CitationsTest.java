package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * What pages and sources refer to exists: pages, their headings, rules of docs/semantics.md, clauses of docs/wire.md, and the
 * clauses of the specification that it lists. Each kind has a second test with an invented citation, which must be found.
 */
class CitationsTest {
    private static final String TEXTS = ".*\\.(java|md|mutant|sh)";

    /** Tests that invent rules and clauses. */
    private static final String INVENTED = ".*/(SelectionTest|CitationsTest)\\.java";

    private final Citations citations = new Citations();

    /** What is wrong in the files of a name, with their names. */
    private static Set<String> wrong(String names, Function<String, List<String>> missing) throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Path file : Checkout.files(name -> name.matches(names) && !name.matches(INVENTED))) {
            missing.apply(Checkout.text(file)).forEach(one -> wrong.add(Checkout.name(file) + ": " + one));
        }
        return wrong;
    }

    // ---- pages

    @Test
    void eachLinkOfAPageLeadsToAPageAndAHeading() throws IOException {
        Set<String> broken = new TreeSet<>();
        for (Path page : Checkout.files(name -> name.endsWith(".md"))) {
            citations
                    .brokenLinks(Checkout.text(page), page)
                    .forEach(link -> broken.add(Checkout.name(page) + " -> " + link));
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void aLinkToAMissingHeadingIsFound() {
        Path page = Checkout.ROOT.resolve("docs/order.md");

        assertThat(citations.brokenLinks(
                        "[a](wire.md#2-opcodes) [b](wire.md#none) [c](none.md) [d](https://a.b)", page))
                .containsExactly("wire.md#none", "none.md");
    }

    @Test
    void eachPageThatASourceNamesExists() throws IOException {
        assertThat(wrong(".*\\.(java|md|mutant|py|sh|xml)", citations::missingPages))
                .isEmpty();
    }

    @Test
    void aMissingPageIsFound() {
        assertThat(citations.missingPages("see docs/order.md, docs/none.md, docs/wire.md#none, docs/wire.md#8-icrc"))
                .containsExactly("docs/none.md", "docs/wire.md#none");
    }

    // ---- types

    @Test
    void eachTypeThatTheVocabularyNamesExists() throws IOException {
        assertThat(citations.missingTypes(Checkout.text(Checkout.ROOT.resolve("docs/vocabulary.md"))))
                .isEmpty();
    }

    @Test
    void aMissingTypeIsFound() throws IOException {
        assertThat(citations.missingTypes("`Jfs`, `EventLoop` and `Crank`, but not `int` or `SEND_ONLY`"))
                .containsExactly("Crank");
    }

    @Test
    void eachTestThatAPageNamesExists() throws IOException {
        Set<String> missing = new TreeSet<>();
        for (Path page : Checkout.files(name -> name.matches("docs/[^/]*\\.md"))) {
            citations.missingTests(Checkout.text(page)).forEach(test -> missing.add(Checkout.name(page) + ": " + test));
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void aMissingTestIsFound() throws IOException {
        assertThat(citations.missingTests("`CitationsTest`, `udma.wire.IcrcTest#sum` and `driver.StrangersTest`"))
                .containsExactly("StrangersTest");
    }

    // ---- rules

    @Test
    void eachRuleThatIsNamedStandsInTheSemantics() throws IOException {
        assertThat(citations.rules()).hasSizeGreaterThan(90);
        assertThat(wrong(TEXTS, citations::missingRules)).isEmpty();
    }

    @Test
    void aMissingRuleIsFound() {
        assertThat(citations.missingRules("S6.8, S99.1")).containsExactly("S99.1");
    }

    @Test
    void eachSectionThatIsNamedStandsInTheSemantics() throws IOException {
        assertThat(wrong(TEXTS, citations::missingSections)).isEmpty();
    }

    @Test
    void aMissingSectionIsFound() {
        assertThat(citations.missingSections("SEMANTICS §6, §99 and §7.4–7.99; SEMANTICS.md §98"))
                .containsExactly("99", "7.99", "98");
    }

    @Test
    void aSectionOfAPaperThatIsElsewhereIsFound() {
        assertThat(citations.missingSections("as in DESIGN §2.")).containsExactly("DESIGN §2");
    }

    // ---- clauses

    @Test
    void eachClauseOfTheWireHasItsOwnNumber() {
        assertThat(citations.wireClauses()).hasSizeGreaterThan(60).doesNotHaveDuplicates();
    }

    @Test
    void eachClauseOfTheWireThatIsNamedExists() throws IOException {
        assertThat(wrong(TEXTS, citations::missingWireClauses)).isEmpty();
    }

    @Test
    void thePageOfTheWireRefersToItsOwnClauses() {
        String page = Checkout.text(Checkout.ROOT.resolve("docs/wire.md"));

        assertThat(citations.missingWireClauses(page.replace("§", "WIRE §"))).isEmpty();
    }

    @Test
    void aMissingClauseOfTheWireIsFound() {
        assertThat(citations.missingWireClauses("WIRE §4.4, §4.99 and §0.9; WIRE §4.3 to §99"))
                .containsExactly("4.99", "99");
    }

    @Test
    void aCitationThatGoesOnInTheNextLineOfACommentIsRead() {
        assertThat(citations.missingWireClauses("""
                     * what Linux does (WIRE §0,
                     * §4.98), and (WIRE
                     * §4.99).
                     */
                """)).containsExactly("4.98", "4.99");
    }

    @Test
    void eachClauseOfTheSpecificationThatIsNamedIsListed() throws IOException {
        assertThat(citations.specificationClauses()).contains("10.9.3", "A17");
        assertThat(wrong(TEXTS, citations::missingSpecificationClauses)).isEmpty();
    }

    @Test
    void aClauseOfTheSpecificationThatIsNotListedIsFound() {
        assertThat(citations.missingSpecificationClauses(
                        "IBTA 10.9.3, WIRE §7; IBTA A17 and A99; IBA volume 1, 13.4.3 and 12.99; IBTA C9-88"))
                .containsExactly("A99", "12.99", "C9-88");
    }
}
