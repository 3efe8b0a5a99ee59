package io.urma4j.udma.driver;

/** A completion queue that the card reports of by its handle. Under the card's lock: returns at once, and calls no command. */
interface CqWatcher {
    /** The event that it was armed for. */
    void recordsArrived();

    /** There was no place for a record. */
    void overflowed();
}
