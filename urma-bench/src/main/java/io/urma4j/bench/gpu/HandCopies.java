package io.urma4j.bench.gpu;

import io.urma4j.cuda.CudaDriver;

/**
 * The same copies by calls of the driver: {@code cuMemcpyHtoDAsync_v2} or {@code cuMemcpyDtoHAsync_v2}, then an event, then
 * queries until it has come. Of the thread that opened it.
 */
final class HandCopies implements Copies, AutoCloseable {
    /** A query takes at least 100 ns, so that this is no less than 20 s. */
    private static final int MOST_QUERIES = 200_000_000;

    private final CudaDriver driver;
    private final int ordinal;
    private final long address;
    private final long host;
    private final long stream;
    private final long event;

    private HandCopies(CudaDriver driver, int ordinal, long address, long host) {
        this.driver = driver;
        this.ordinal = ordinal;
        this.address = address;
        this.host = host;
        driver.setCurrentContext(driver.retainPrimaryContext(ordinal));
        this.stream = driver.createStream(CudaDriver.STREAM_NON_BLOCKING);
        this.event = driver.createEvent(CudaDriver.EVENT_DISABLE_TIMING);
    }

    /** Makes the device's primary context that of this thread. Addresses are those of both footprints. */
    static HandCopies open(CudaDriver driver, int ordinal, long address, long host) {
        return new HandCopies(driver, ordinal, address, host);
    }

    @Override
    public void in(long at, int lengthBytes) {
        driver.copyIn(address + at, host + at, lengthBytes, stream);
        await();
    }

    @Override
    public void out(long at, int lengthBytes) {
        driver.copyOut(host + at, address + at, lengthBytes, stream);
        await();
    }

    /** Copies between two ranges of the device, and does not wait. */
    void startWithin(long to, long from, int lengthBytes) {
        driver.copyWithin(to, from, lengthBytes, stream);
    }

    /** Waits for all copies so far. */
    void await() {
        driver.recordEvent(event, stream);
        for (int queries = 0; !driver.isDone(event); queries++) {
            if (queries > MOST_QUERIES) {
                throw new IllegalStateException("the driver has not finished a copy within 20 s");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        driver.destroyEvent(event);
        driver.destroyStream(stream);
        driver.setCurrentContext(0);
        driver.releasePrimaryContext(ordinal);
    }
}
