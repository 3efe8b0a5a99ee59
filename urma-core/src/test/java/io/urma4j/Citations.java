package io.urma4j;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What texts cite, and which of it does not exist: pages, headings, rules and clauses. */
final class Citations {
    private static final String PAGE_OF_RULES = "docs/semantics.md";
    private static final String PAGE_OF_CLAUSES = "docs/wire.md";

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern PAGE = Pattern.compile("\\bdocs/[\\w/-]+\\.md(?:#[\\w-]+)?");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern RULE = Pattern.compile("\\bS\\d{1,2}\\.\\d{1,2}\\b");
    private static final Pattern WRITTEN_RULE = Pattern.compile("\\*\\*(" + RULE.pattern() + ")");

    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w+)`");
    private static final String TYPE_FILE = "urma-.*/src/main/.*\\.java";
    private static final Pattern TEST = Pattern.compile("`(?:[a-z]\\w*\\.)*([A-Z]\\w*[a-z](?:Test|IT))\\b");
    private static final String TEST_FILE = "(?:urma-.*|examples)/src/test/.*\\.java";

    private static final String AND = "(?:(?:, | to | and |[–-])?";
    private static final Pattern WIRE = Pattern.compile("\\bWIRE " + AND + "§\\d+(?:\\.\\d+)*)+");
    private static final Pattern SECTION = Pattern.compile("\\bSEMANTICS(?:\\.md)? " + AND + "§?\\d+(?:\\.\\d+)*)+");
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:\\.\\d+)*");

    /** By its initials or by those of its architecture, as in "IBA volume 1, 13.4.3 and 12.6.7". */
    private static final Pattern SPECIFICATION =
            Pattern.compile("\\bIBT?A(?: volume 1)?,? " + AND + "§?[A-Za-z]{0,2}\\d+(?:[.-]\\d+)*)+");

    private static final Pattern SPECIFICATION_CLAUSE = Pattern.compile("(?<![\\w.])[A-Za-z]{0,2}\\d+(?:[.-]\\d+)*");

    /** Papers that this tree does not have. */
    private static final Pattern ELSEWHERE =
            Pattern.compile("\\b(?:BUFFERS|DESIGN|PEERMEM|STYLE)(?:\\.md)? §[\\d.]*\\d");

    private static final Pattern CLAUSE_HEADING = Pattern.compile("^#+ (\\d+(?:\\.\\d+)?)\\.? ", Pattern.MULTILINE);
    private static final Pattern CLAUSE_ROW = Pattern.compile("^\\| ([A-Z]?\\d+(?:\\.\\d+)*) \\|", Pattern.MULTILINE);
    private static final String SPECIFICATION_HEADING = "\n## 14 ";

    private final Set<String> rules;
    private final Set<String> sections;
    private final List<String> wireClauses;
    private final Set<String> specificationClauses;

    Citations() {
        String semantics = Checkout.text(Checkout.ROOT.resolve(PAGE_OF_RULES));
        rules = all(WRITTEN_RULE, semantics).collect(Collectors.toSet());
        sections = Stream.concat(all(CLAUSE_HEADING, semantics), rules.stream().map(rule -> rule.substring(1)))
                .collect(Collectors.toSet());
        String wire = Checkout.text(Checkout.ROOT.resolve(PAGE_OF_CLAUSES));
        int end = wire.indexOf(SPECIFICATION_HEADING);
        wireClauses = Stream.concat(all(CLAUSE_HEADING, wire), numberedRows(wire.substring(0, end)))
                .toList();
        specificationClauses = all(CLAUSE_ROW, wire.substring(end)).collect(Collectors.toSet());
    }

    private static Stream<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1));
    }

    /** Rows that begin with the number of a clause; those of other tables begin with plain numbers. */
    private static Stream<String> numberedRows(String wire) {
        return all(CLAUSE_ROW, wire).filter(number -> number.contains("."));
    }

    Set<String> rules() {
        return rules;
    }

    /** The clauses of the page of the wire, each as often as it stands there. */
    List<String> wireClauses() {
        return wireClauses;
    }

    Set<String> specificationClauses() {
        return specificationClauses;
    }

    // ---- what does not exist

    /** Links of a page to pages and headings of this tree. */
    List<String> brokenLinks(String text, Path page) {
        return all(LINK, text)
                .filter(link -> !link.contains(":")) // of this tree, not of the web
                .filter(link -> !exists(page.toAbsolutePath().getParent(), link, page))
                .toList();
    }

    /** Pages named by their path from the root, with a heading or without. */
    List<String> missingPages(String text) {
        return PAGE.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(page -> !exists(Checkout.ROOT, page, Checkout.ROOT))
                .toList();
    }

    /** Rules of the semantics. */
    List<String> missingRules(String text) {
        return RULE.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(rule -> !rules.contains(rule))
                .toList();
    }

    /** Types of the main sources, in the marks of code. */
    List<String> missingTypes(String text) throws IOException {
        return missingClasses(TYPE, TYPE_FILE, text);
    }

    /** Tests, with their packages or without, in the marks of code. */
    List<String> missingTests(String text) throws IOException {
        return missingClasses(TEST, TEST_FILE, text);
    }

    private static List<String> missingClasses(Pattern pattern, String files, String text) throws IOException {
        Set<String> classes = Checkout.files(name -> name.matches(files)).stream()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
        return all(pattern, text).filter(name -> !classes.contains(name)).toList();
    }

    /** Sections of the semantics, and all sections of papers that are elsewhere. */
    List<String> missingSections(String text) {
        String lines = joined(text);
        return Stream.concat(
                        missing(SECTION, NUMBER, lines, sections::contains),
                        ELSEWHERE.matcher(lines).results().map(MatchResult::group))
                .toList();
    }

    /** Clauses of the page of the wire. */
    List<String> missingWireClauses(String text) {
        return missing(WIRE, NUMBER, joined(text), wireClauses::contains).toList();
    }

    /** Clauses of the InfiniBand specification that the page of the wire does not list. */
    List<String> missingSpecificationClauses(String text) {
        return missing(SPECIFICATION, SPECIFICATION_CLAUSE, clauses(joined(text)), specificationClauses::contains)
                .toList();
    }

    /** Without "volume 1", whose number is none of a clause. */
    private static String clauses(String text) {
        return text.replace(" volume 1", "");
    }

    private static Stream<String> missing(Pattern citation, Pattern number, String text, Predicate<String> exists) {
        return citation.matcher(text)
                .results()
                .flatMap(cited -> number.matcher(cited.group()).results())
                .map(MatchResult::group)
                .filter(one -> !exists.test(one));
    }

    /** Each comment and each paragraph in one line, since a citation may begin in one and end in the next. */
    private static String joined(String text) {
        return text.replaceAll("\\s*\\n\\s*(?:\\*(?!/)|//)?\\s*", " ");
    }

    private static boolean exists(Path folder, String link, Path self) {
        int mark = link.indexOf('#');
        String file = mark < 0 ? link : link.substring(0, mark);
        Path target = file.isEmpty() ? self : folder.resolve(file).normalize();
        return Files.exists(target) && (mark < 0 || headings(target).contains(link.substring(mark + 1)));
    }

    /** The anchors of a page, as GitHub makes them. */
    private static List<String> headings(Path page) {
        return all(HEADING, Checkout.text(page))
                .map(heading -> heading.toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-'))
                .toList();
    }
}
