package io.urma4j;

/** The order that a queue requests of its transport (S5.2). */
public enum OrderType {
    /** The mode's own default: OI for RM, OL for RC, NO for UM. */
    DEF,
    /** Ordered by the target. */
    OT,
    /** Ordered by the initiator. */
    OI,
    /** Ordered by the lower layer. */
    OL,
    /** Unordered. */
    NO;

    private static final OrderType[] BY_VALUE = values();

    /** URMA's number of this order type. */
    @SuppressWarnings("EnumOrdinal") // declared in the order of URMA's numbers
    public int value() {
        return ordinal();
    }

    /** The order type with the given number, or {@code IllegalArgumentException}. */
    public static OrderType of(int value) {
        if (value < 0 || value >= BY_VALUE.length) {
            throw new IllegalArgumentException("no order type has the number " + value);
        }
        return BY_VALUE[value];
    }

    /** Whether a queue of {@code mode} may have this order type. */
    public boolean isLegalFor(TransportMode mode) {
        return switch (mode) {
            case RM -> this == DEF || this == OI;
            case RC -> this != OI;
            case UM -> this == DEF || this == NO;
        };
    }

    /** The effective order type of a queue of {@code mode}: {@link #DEF} becomes the mode's default. */
    public OrderType effective(TransportMode mode) {
        if (this != DEF) {
            return this;
        }
        return switch (mode) {
            case RM -> OI;
            case RC -> OL;
            case UM -> NO;
        };
    }
}
