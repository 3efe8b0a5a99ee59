package io.urma4j;

import java.util.List;

/**
 * What a context of some process says of itself.
 *
 * @param uasid its address space, with {@code incarnation} unique in time
 * @param process in words: its number here, or that it is unknown
 * @param resources of the kinds that were asked for, each kind in the order of its numbers
 * @param failure why not all of it is there, in words; empty when it is
 */
public record ContextView(int uasid, long incarnation, String process, List<Resource> resources, String failure) {
    public ContextView {
        resources = List.copyOf(resources);
    }

    /** Those of one kind. */
    public List<Resource> resources(Resource.Kind kind) {
        return resources.stream().filter(resource -> resource.kind() == kind).toList();
    }
}
