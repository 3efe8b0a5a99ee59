package io.urma4j.socket.ring;

/**
 * How often waits have looked at their rings before they would sleep, and what it took.
 *
 * @param spins waits that did
 * @param won those that ended so, without a sleep
 * @param nanos of a processor that they took; a sample of those that were won, and all others
 */
public record SpinUse(long spins, long won, long nanos) {
    /** Both together. */
    public SpinUse plus(SpinUse other) {
        return new SpinUse(spins + other.spins, won + other.won, nanos + other.nanos);
    }
}
