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
import io.urma4j.bench.Records;

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
    public void in(long at, int lengthBytes) {
        Records.accepted(jfs.write(remote, at, local, at, lengthBytes, at));
        Records.one(jfc, batch);
    }

    @Override
    public void out(long at, int lengthBytes) {
        Records.accepted(jfs.read(remote, at, local, at, lengthBytes, at));
        Records.one(jfc, batch);
    }
}
