package io.urma4j.tck;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule as docs/semantics.md has it.
 *
 * @param id such as S7.8
 * @param title what it is about, in a few words
 * @param section heading of the section that it stands in, with its number
 */
public record RuleText(String id, String title, String section) {
    private static final Pattern SECTION = Pattern.compile("## (\\d+\\. .+)");
    private static final Pattern RULE = Pattern.compile("- \\*\\*(S\\d+\\.\\d+) (.+?)\\.\\*\\*.*");
    /** Any line that looks like the start of a rule: one that does not match {@link #RULE} is a mistake in the page. */
    private static final Pattern BEGINS_RULE = Pattern.compile("- \\**S\\d+\\.\\d+.*");

    private static final String PAGE = "semantics.md"; // the build puts docs/semantics.md beside this class

    /** All rules, in the order of the page. */
    public static List<RuleText> all() {
        try (InputStream page = RuleText.class.getResourceAsStream(PAGE)) {
            if (page == null) {
                throw new IllegalStateException("the suite was built without docs/" + PAGE);
            }
            return read(new BufferedReader(new InputStreamReader(page, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read docs/" + PAGE, e);
        }
    }

    static List<RuleText> read(BufferedReader page) {
        List<RuleText> rules = new ArrayList<>();
        String section = "";
        for (String line : page.lines().toList()) {
            Matcher heading = SECTION.matcher(line);
            Matcher rule = RULE.matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
            } else if (rule.matches()) {
                rules.add(new RuleText(rule.group(1), rule.group(2), section));
            } else if (BEGINS_RULE.matcher(line).matches()) {
                throw new IllegalStateException("a rule without id and title in bold on its first line: " + line);
            }
        }
        return List.copyOf(rules);
    }
}
