package io.urma4j.bench.gpu;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Loop;

/** WRITEs and READs of one queue, one at a time, between host memory here and device memory of a home. */
final class ServedCopies implements Copies {
    private final RemoteSegment remote;
    private final LocalSegment local;
    private final Jfc jfc;
    private final Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(1);

    ServedCopies(UrmaContext context, RemoteSegment remote) {
        this.remote = remote;
        this.local = context.register(context.allocate(FOOTPRINT_BYTES), Access.LOCAL_ONLY);
        this.jfc = context.createJfc(JfcConfig.DEFAULT);
        this.jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        local.memory().fill((byte) 1);
    }

    LocalSegment local() {
        return local;
    }

    @Override
    public Loop in(int lengthBytes) {
        return copies -> {
            for (int i = 0; i < copies; i++) {
                long at = Copies.place(i, lengthBytes);
                finish(jfs.write(remote, at, local, at, lengthBytes, i));
            }
            return copies;
        };
    }

    @Override
    public Loop out(int lengthBytes) {
        return copies -> {
            for (int i = 0; i < copies; i++) {
                long at = Copies.place(i, lengthBytes);
                finish(jfs.read(remote, at, local, at, lengthBytes, i));
            }
            return copies;
        };
    }

    private void finish(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the queue is full");
        }
        while (jfc.poll(batch) == 0) {
            Thread.onSpinWait();
        }
        if (!batch.isSuccess(0)) {
            throw new IllegalStateException(batch.toString());
        }
    }
}
