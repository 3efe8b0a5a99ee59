package io.urma4j;

/** A batch of objects was closed up to one that refused: S4.4. Those before it are closed, those behind it are not. */
public final class BatchCloseException extends UrmaException {
    private static final long serialVersionUID = 1L;

    private final int index;

    BatchCloseException(int index, int size, UrmaException refusal) {
        super(
                refusal.status(),
                refusal.object(),
                "element " + index + " of a batch of " + size + ": " + refusal.reason(),
                refusal);
        this.index = index;
    }

    /** Which one refused, counted from 0: so many are closed. */
    public int index() {
        return index;
    }
}
