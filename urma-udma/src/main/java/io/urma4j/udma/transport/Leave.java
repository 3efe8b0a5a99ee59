package io.urma4j.udma.transport;

/** What a step may leave for the next one, when whoever turns the crank comes back at once: fewer packets are cheaper. */
public enum Leave {
    /** Nothing: nobody knows when the next step is. */
    NOTHING,

    /** A short train of requests may wait a little for company, while others are under way. */
    TRAINS,

    /** So may a mere acknowledgement, which may leave together with a request then. */
    TRAINS_AND_ACKNOWLEDGEMENTS
}
