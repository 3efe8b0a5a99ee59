package io.urma4j.internal;

import java.util.regex.Pattern;

/** What may be a name under which a segment, a region, a queue or a pipe is published, and how a text tells one. */
public final class PublishedNames {
    /** What a name begins with in a program that runs on any provider. */
    public static final String ANY_KIND = "name:";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}");

    private PublishedNames() {}

    /** Refuses with EINVAL what cannot be a name. The message does not repeat it: it might be a line with a token. */
    public static String checked(Object object, String name) {
        if (!NAME.matcher(name).matches()) {
            throw Checks.invalid(
                    object, "the name must be 1…255 letters, digits, '.', '_', '-', and not begin with '.' or '-'");
        }
        return name;
    }

    /** The name in {@code kind:name}; EINVAL when the text is none of a device of this provider. */
    public static String in(String text, Object context, String provider) {
        String prefix = text.startsWith(ANY_KIND) ? ANY_KIND : provider + ":";
        if (!text.startsWith(prefix)) {
            // the text is not told: it may be a damaged line, with a token in it
            throw Checks.invalid(
                    context,
                    "the text is neither a line of share(), which begins with 'urma4j:', nor a name here, '" + prefix
                            + "NAME' or '" + ANY_KIND + "NAME'");
        }
        return text.substring(prefix.length());
    }
}
