package io.urma4j;

import java.util.List;

/**
 * A snapshot of a context in some process.
 *
 * @param uasid its address space; unique in time together with {@code incarnation}
 * @param process as text: its process id here, or that it is unknown
 * @param resources of the requested kinds, each kind in the order of its numbers
 * @param failure why the snapshot is incomplete, as text; empty if it is complete
 */
public record ContextView(int uasid, long incarnation, String process, List<Resource> resources, String failure) {
    public ContextView {
        resources = List.copyOf(resources);
    }

    /** The resources of one kind. */
    public List<Resource> resources(Resource.Kind kind) {
        return resources.stream().filter(resource -> resource.kind() == kind).toList();
    }
}
