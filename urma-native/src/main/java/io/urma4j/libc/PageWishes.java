package io.urma4j.libc;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Requests for a mapping's pages. The kernel need not grant them; the result of each is returned as text. */
public final class PageWishes {
    private PageWishes() {}

    /** Asks for transparent huge pages, and adds to {@code steps} what came of it. */
    public static void huge(MemorySegment mapping, List<String> steps) {
        try {
            Mapping.advise(mapping, Mapping.Advice.HUGE_PAGE);
            steps.add("transparent huge pages, as far as the kernel finds them");
        } catch (LibcException e) {
            steps.add("no transparent huge pages: " + e.getMessage());
        }
    }

    /** Asks for pages of a NUMA node ({@link NumaPolicy}), and adds to {@code steps} why not, if it is refused. */
    public static void ofNode(MemorySegment mapping, int node, List<String> steps) {
        try {
            NumaPolicy.prefer(mapping, node);
        } catch (LibcException e) {
            steps.add("pages of any NUMA node, not of node " + node + ": " + e.getMessage());
        }
    }
}
