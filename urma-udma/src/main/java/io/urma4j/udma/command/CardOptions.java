package io.urma4j.udma.command;

/**
 * The options of a card.
 *
 * @param maxKeys how many keys can be registered at once; fewer than {@link CardCommands#MAX_KEYS} for tests of exhaustion
 * @param predicts whether connections use header prediction; results and packets are the same without it
 */
public record CardOptions(int maxKeys, boolean predicts) {
    /** All keys, with header prediction. */
    public static final CardOptions DEFAULT = new CardOptions(CardCommands.MAX_KEYS, true);

    public CardOptions withMaxKeys(int keys) {
        return new CardOptions(keys, predicts);
    }

    public CardOptions withPrediction(boolean on) {
        return new CardOptions(maxKeys, on);
    }
}
