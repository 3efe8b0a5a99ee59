package io.urma4j;

/**
 * How memory is to be allocated. What the machine cannot give is stepped down and reported, never refused (S7.2).
 *
 * @param hugePages ask for huge pages
 * @param reserve touch every page now, so that a machine without memory says so here and not at the first write
 * @param numaNode take the pages from that node of the machine, numbered as by the kernel, while it has any; {@link
 *     #ANY_NODE} for wherever the thread runs that touches them first
 */
public record AllocOptions(boolean hugePages, boolean reserve, int numaNode) {
    public static final int ANY_NODE = -1;

    private static final int MAX_NODE = 1023; // the most that Linux can be built for

    /** Ordinary pages, which get their memory when they are first touched. */
    public static final AllocOptions DEFAULT = new AllocOptions(false, false, ANY_NODE);

    public AllocOptions {
        if (numaNode < ANY_NODE || numaNode > MAX_NODE) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "AllocOptions", "numaNode " + numaNode + " must lie in 0…" + MAX_NODE);
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
