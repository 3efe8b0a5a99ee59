package io.urma4j;

/**
 * How memory is to be allocated. What the machine cannot give is stepped down and reported, never refused (S7.2).
 *
 * @param hugePages ask for huge pages
 * @param reserve touch every page now, so that a machine without memory says so here and not at the first write
 */
public record AllocOptions(boolean hugePages, boolean reserve) {
    /** Ordinary pages, which get their memory when they are first touched. */
    public static final AllocOptions DEFAULT = new AllocOptions(false, false);

    public AllocOptions withHugePages() {
        return new AllocOptions(true, reserve);
    }

    public AllocOptions withReserve() {
        return new AllocOptions(hugePages, true);
    }
}
