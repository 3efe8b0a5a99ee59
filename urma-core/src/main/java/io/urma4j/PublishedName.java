package io.urma4j;

import java.util.List;

/**
 * A segment that is visible under a name.
 *
 * @param home its owner, as text
 * @param users one description per importer
 */
public record PublishedName(String name, SegmentDescriptor descriptor, String home, List<String> users) {
    public PublishedName {
        users = List.copyOf(users);
    }
}
