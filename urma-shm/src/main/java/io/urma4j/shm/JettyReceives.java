package io.urma4j.shm;

/**
 * The receive records of a Jetty in a JFC that is not its JFR's (S5.3). When that JFC overflows, the Jetty goes to ERROR;
 * but later, on the engine's thread: the caller holds the JFC's lock, and must not wait for the Jetty's.
 */
record JettyReceives(Demand demand, SendWindow jetty) implements RecordOwner {

    @Override
    public void recordTaken(int position) {
        // a receive work request is free when its message arrives, not when the record is polled
    }

    @Override
    public void jfcFailed() {
        demand.later(jetty::fail);
    }
}
