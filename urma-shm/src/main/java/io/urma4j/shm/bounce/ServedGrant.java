package io.urma4j.shm.bounce;

import io.urma4j.Access;
import io.urma4j.spi.support.StagedRegion;

/** An import of device memory that a home has granted. Safe for any thread. */
public interface ServedGrant {
    /** The memory. */
    StagedRegion served();

    /** What the importer may do. */
    Access access();

    /** Whether importers of the segment may execute atomics, whatever this one may do. */
    boolean hasAtomics();

    /** Its requests: none begins once the import was revoked or released. */
    ServedRequests requests();
}
