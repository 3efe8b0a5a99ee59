package io.urma4j.bench.gpu;

import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Records;

/** WRITEs and READs of one queue, one at a time, between memory here, of host or device, and device memory of a home. */
final class RemoteCopies implements Copies {
    private final RemoteSegment remote;
    private final LocalSegment local;
    private final Jfc jfc;
    private final Jfs jfs;
    private final CompletionBatch batch = new CompletionBatch(1);

    RemoteCopies(UrmaContext context, RemoteSegment remote, LocalSegment local) {
        this.remote = remote;
        this.local = local;
        this.jfc = context.createJfc(JfcConfig.DEFAULT);
        this.jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
    }

    Jfs jfs() {
        return jfs;
    }

    LocalSegment local() {
        return local;
    }

    @Override
    public void in(long at, int lengthBytes) {
        Records.accepted(jfs.write(remote, at, local, at, lengthBytes, at));
        await();
    }

    @Override
    public void out(long at, int lengthBytes) {
        Records.accepted(jfs.read(remote, at, local, at, lengthBytes, at));
        await();
    }

    /** Waits for the end of the request in progress. */
    void await() {
        Records.one(jfc, batch);
    }
}
