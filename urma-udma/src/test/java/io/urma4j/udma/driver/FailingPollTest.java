package io.urma4j.udma.driver;

import io.urma4j.UrmaOptions;
import io.urma4j.tck.FailingPollContract;

/** A poll that throws over the network. */
class FailingPollTest extends FailingPollContract {
    FailingPollTest() {
        super(new UdmaProvider(), UrmaOptions.DEFAULT.withSetting("urma.udma.addresses", "127.0.71.51"));
    }
}
