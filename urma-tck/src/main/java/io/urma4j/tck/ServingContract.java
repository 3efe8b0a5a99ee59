package io.urma4j.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.RemoteSegment;
import org.junit.jupiter.api.BeforeEach;

/** What tests of segments in device memory begin with: a home serves them to importers. */
abstract class ServingContract extends Contract {
    static final int KB = 1024;
    static final int MB = 1024 * KB;

    ServingContract(String device) {
        super(device);
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().deviceMemory(), "the device takes no device memory");
    }

    /** A segment in device memory of the home, and its import. */
    record Imported(HomeDeviceSegment home, RemoteSegment remote) {}

    final Imported imported(long lengthBytes, Access access) {
        HomeDeviceSegment home = pair.home().deviceSegment(lengthBytes, access);
        return new Imported(home, pair.initiator().context().importSegment(home.shared()));
    }

    final Imported imported(long lengthBytes) {
        return imported(lengthBytes, Access.READ_WRITE);
    }
}
