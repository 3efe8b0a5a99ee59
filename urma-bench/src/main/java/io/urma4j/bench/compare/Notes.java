package io.urma4j.bench.compare;

/** What a reader of the table must know. */
final class Notes {
    static final String TEXT = """
            Ratios are made within each round, in which every peer has one turn; the table has their median, smallest and
            largest. `× its speed` is better when larger, `× its time` when smaller. Raw memory and raw UDP are the least
            that C can do on this machine at the same minute: no library is faster by much, and most are somewhat
            slower.
            """;

    private Notes() {}
}
