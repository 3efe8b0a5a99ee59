package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What pages and sources refer to exists: pages, their headings, and rules of docs/semantics.md. */
class CitationsTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern PAGE = Pattern.compile("\\bdocs/[\\w/-]+\\.md(?:#[\\w-]+)?");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern RULE = Pattern.compile("\\bS\\d{1,2}\\.\\d{1,2}\\b");

    /** Tests that invent rules. */
    private static final String INVENTED = ".*/SelectionTest\\.java";

    @Test
    void eachLinkOfAPageLeadsToAPageAndAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : Checkout.files(name -> name.endsWith(".md"))) {
            LINK.matcher(Checkout.text(page))
                    .results()
                    .map(link -> link.group(1))
                    .filter(link -> !link.contains(":")) // of this repository, not of the web
                    .filter(link -> !exists(page.getParent(), link, page))
                    .forEach(link -> broken.add(Checkout.name(page) + " -> " + link));
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void eachPageThatASourceNamesExists() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path source : Checkout.files(name -> name.matches(".*\\.(java|sh|xml)"))) {
            PAGE.matcher(Checkout.text(source))
                    .results()
                    .map(page -> page.group())
                    .filter(page -> !exists(Checkout.ROOT, page, source))
                    .forEach(page -> broken.add(Checkout.name(source) + " -> " + page));
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void eachRuleThatIsNamedStandsInTheSemantics() throws IOException {
        Set<String> rules = rules(Pattern.compile("\\*\\*(" + RULE.pattern() + ")")
                .matcher(Checkout.text(Checkout.ROOT.resolve("docs/semantics.md")))
                .results()
                .map(rule -> rule.group(1)));
        Set<String> unknown = new TreeSet<>();
        for (Path source : Checkout.files(name -> name.matches(".*\\.(java|md)") && !name.matches(INVENTED))) {
            RULE.matcher(Checkout.text(source))
                    .results()
                    .map(rule -> rule.group())
                    .filter(rule -> !rules.contains(rule))
                    .forEach(rule -> unknown.add(Checkout.name(source) + ": " + rule));
        }

        assertThat(rules).hasSizeGreaterThan(90);
        assertThat(unknown).isEmpty();
    }

    private static Set<String> rules(Stream<String> found) {
        return found.collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean exists(Path folder, String link, Path self) {
        int mark = link.indexOf('#');
        String file = mark < 0 ? link : link.substring(0, mark);
        Path target = file.isEmpty() ? self : folder.resolve(file).normalize();
        return Files.exists(target) && (mark < 0 || headings(target).contains(link.substring(mark + 1)));
    }

    /** The anchors of a page, as GitHub makes them. */
    private static List<String> headings(Path page) {
        return HEADING.matcher(Checkout.text(page))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-'))
                .toList();
    }
}
