package io.urma4j.shm;

import io.urma4j.UrmaOptions;
import io.urma4j.tck.FailingPollContract;

/** A poll that throws on shared memory. */
class FailingPollTest extends FailingPollContract {
    FailingPollTest() {
        super(new ShmProvider(), UrmaOptions.DEFAULT);
    }
}
