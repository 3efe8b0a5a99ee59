package io.urma4j.shm.control;

import io.urma4j.libc.DescriptorCloser;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;

/** Keeps a closer behind, as descriptors do whose close waits: no such descriptor can be had without a special file system. */
final class BusyCloser implements AutoCloseable {
    private final CountDownLatch done = new CountDownLatch(1);

    BusyCloser(DescriptorCloser closer) throws Exception {
        Field field = DescriptorCloser.class.getDeclaredField("threads");
        field.setAccessible(true);
        ThreadPoolExecutor threads = (ThreadPoolExecutor) field.get(closer);
        for (int i = 0; i < threads.getMaximumPoolSize() + DescriptorCloser.MAX_WAITING; i++) {
            threads.execute(this::awaitDone);
        }
        if (!closer.isBehind()) {
            throw new AssertionError("the closer is not behind: " + closer);
        }
    }

    private void awaitDone() {
        try {
            done.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        done.countDown();
    }
}
