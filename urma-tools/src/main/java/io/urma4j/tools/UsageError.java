package io.urma4j.tools;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes a usage error in the words of the command's help, not of the parser. */
final class UsageError {
    private static final Pattern INVALID = Pattern.compile(
            "Invalid value for (?:positional parameter at index \\S+ \\((.+?)\\)|option '(\\S+?)'(?: \\(.+?\\))?): (.*)");
    private static final Pattern NOT_NUMBER = Pattern.compile("'(.*)' is not an? (?:int|long)");
    private static final Pattern NOT_ONE_OF =
            Pattern.compile("expected one of \\[(.*)\\] \\(case-(?:in)?sensitive\\) but was '(.*)'");
    private static final Pattern EXCLUSIVE =
            Pattern.compile("(?:Error: )?(.+) are mutually exclusive \\(specify only one\\)");
    private static final Pattern ONE_MISSING =
            Pattern.compile("(?:Error: )?Missing required argument \\(specify one of these\\): \\((.+)\\)");

    private UsageError() {}

    /** The error, as the rest of a line that begins with {@code urma: }. */
    static String describe(ParameterException failure) {
        if (failure instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()
                && !unmatched.isUnknownOption()) {
            return unmatched(unmatched);
        }
        return inOurWords(String.valueOf(failure.getMessage()));
    }

    private static String unmatched(UnmatchedArgumentException failure) {
        CommandLine command = failure.getCommandLine();
        String argument = failure.getUnmatched().getFirst();
        String name = command.getCommandSpec().qualifiedName();
        if (command.getSubcommands().isEmpty()) {
            return "'" + name + "' does not take the argument '" + argument + "'";
        }
        String unknown = "no command '" + argument + "'";
        if (failure.getSuggestions().isEmpty()) {
            return unknown;
        }
        String similar = failure.getSuggestions().getFirst(); // the most similar
        return unknown + "; did you mean '" + (similar.startsWith(name) ? similar : name + " " + similar) + "'?";
    }

    static String inOurWords(String message) {
        Matcher invalid = INVALID.matcher(message);
        if (invalid.matches()) {
            String label = invalid.group(1) == null ? invalid.group(2) : invalid.group(1);
            return label + ": " + reason(invalid.group(3));
        }
        Matcher exclusive = EXCLUSIVE.matcher(message);
        if (exclusive.matches()) {
            return "give " + alternatives(exclusive.group(1), ", ") + ", not both";
        }
        Matcher missing = ONE_MISSING.matcher(message);
        if (missing.matches()) {
            return "give " + alternatives(missing.group(1), " \\| ");
        }
        return message;
    }

    private static String reason(String reason) {
        Matcher number = NOT_NUMBER.matcher(reason);
        if (number.matches()) {
            return "'" + number.group(1) + "' is not a whole number in range";
        }
        Matcher oneOf = NOT_ONE_OF.matcher(reason);
        if (oneOf.matches()) {
            return "'" + oneOf.group(2) + "' is none of " + oneOf.group(1);
        }
        return reason;
    }

    /** Options without the labels of their values. */
    private static String alternatives(String list, String separator) {
        return Words.joined(
                Stream.of(list.split(separator, -1))
                        .map(word -> word.replaceAll("=.*", ""))
                        .toList(),
                "or");
    }
}
