package io.urma4j;

import io.urma4j.internal.Checks;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A segment that is visible under a name.
 *
 * @param home its owner, as text
 * @param users one description per importer
 */
public record PublishedName(String name, SegmentDescriptor descriptor, String home, List<String> users) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}");

    public PublishedName {
        users = List.copyOf(users);
    }

    /** Refuses with EINVAL what cannot be a name. The message does not repeat it: it might be a line with a token. */
    static String checked(Object object, String name) {
        if (!NAME.matcher(name).matches()) {
            throw Checks.invalid(
                    object, "the name must be 1…255 letters, digits, '.', '_', '-', and not begin with '.' or '-'");
        }
        return name;
    }
}
