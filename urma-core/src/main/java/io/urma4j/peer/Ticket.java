package io.urma4j.peer;

/**
 * Names a registration in {@link Invalidator#invalidate}. A number, not a reference: an invalidation that comes after the
 * registration ended finds nothing, and does nothing.
 *
 * @param number unsigned; numbers follow each other, so that one recurs only after 2<sup>32</sup> registrations
 */
public record Ticket(int number) {
    @Override
    public String toString() {
        return "ticket " + Integer.toUnsignedString(number);
    }
}
