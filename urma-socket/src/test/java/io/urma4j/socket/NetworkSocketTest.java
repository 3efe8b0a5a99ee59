package io.urma4j.socket;

/** The same over the network device, as between two hosts. */
class NetworkSocketTest extends RingSocketTest {
    @Override
    String transport() {
        return "udma0";
    }

    @Override
    OverRings open() {
        return OverRings.ofNetwork(RingSocketTest::withSmallRings);
    }
}
