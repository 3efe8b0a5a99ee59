package io.urma4j;

/**
 * Closing a batch of objects stopped at one that refused (S4.4). The objects before it are closed, those after it are not.
 */
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

    /** Index of the object that refused, from 0; it is also the number of closed objects. */
    public int index() {
        return index;
    }
}
