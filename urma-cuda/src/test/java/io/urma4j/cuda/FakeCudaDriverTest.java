package io.urma4j.cuda;

import org.junit.jupiter.api.AfterEach;

/** The fake driver keeps the contract, so that tests of the client on it mean something. */
class FakeCudaDriverTest extends CudaDriverContract {
    private final FakeCudaDriver fake = new FakeCudaDriver(2);

    @Override
    CudaDriver driver() {
        return fake;
    }

    @AfterEach
    void end() {
        fake.end();
    }
}
