package io.urma4j.udma.device;

/** A queue whose records go to a completion queue. */
interface CqUser {
    /** The completion queue has overflowed: it accepts no more records (S10.5). */
    void cqFailed();
}
