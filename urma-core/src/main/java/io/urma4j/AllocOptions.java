package io.urma4j;

import io.urma4j.internal.Checks;

/**
 * Options of an allocation. If the machine cannot provide an option, the allocation falls back and reports it; it is not
 * refused (S7.2).
 *
 * @param hugePages request huge pages
 * @param reserve touch every page now, so that a lack of memory is reported here and not at the first write
 * @param numaNode take the pages from that NUMA node, in the kernel's numbering, while it has free pages; {@link #ANY_NODE}
 *     for the node of the thread that first touches them
 */
public record AllocOptions(boolean hugePages, boolean reserve, int numaNode) {
    public static final int ANY_NODE = -1;

    private static final int MAX_NODE = 1023; // the most that Linux can be built for

    /** Ordinary pages, which the kernel allocates at their first access. */
    public static final AllocOptions DEFAULT = new AllocOptions(false, false, ANY_NODE);

    public AllocOptions {
        if (numaNode < ANY_NODE || numaNode > MAX_NODE) {
            throw Checks.invalid("AllocOptions", "numaNode " + numaNode + " must lie in 0…" + MAX_NODE);
        }
    }

    public AllocOptions withHugePages() {
        return new AllocOptions(true, reserve, numaNode);
    }

    public AllocOptions withReserve() {
        return new AllocOptions(hugePages, true, numaNode);
    }

    public AllocOptions withNumaNode(int node) {
        return new AllocOptions(hugePages, reserve, node);
    }
}
