package io.urma4j.socket;

/** The same over the network device, as between two hosts. */
class NetworkFaultsIT extends FaultsIT {
    @Override
    boolean isOfNetwork() {
        return true;
    }
}
