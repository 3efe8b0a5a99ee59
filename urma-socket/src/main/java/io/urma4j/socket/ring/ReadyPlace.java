package io.urma4j.socket.ring;

/**
 * Where an end of a connection is marked as ready: at the number of the ring that it reads, in the words beside that ring.
 *
 * @param words of the process that reads the ring
 * @param ring its number, below {@link ReadyWords#MAX_RINGS}
 */
public record ReadyPlace(ReadyWords words, int ring) {
    /**
     * Tells the selector of that end, which says itself that it has this set.
     *
     * @return whether a doorbell has to tell it, too
     */
    boolean mark(int set) {
        try {
            return words.mark(set, ring);
        } catch (IllegalStateException e) {
            return true; // the process has ended, and TCP will say so
        }
    }
}
