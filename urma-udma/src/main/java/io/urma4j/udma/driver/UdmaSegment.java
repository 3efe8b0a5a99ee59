package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.Importer;
import io.urma4j.PeerId;
import io.urma4j.Revocation;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderRoceGrant;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.control.ExportedSegment;
import io.urma4j.spi.control.SegmentTable;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.KeyConfig.DeviceBytes;
import io.urma4j.udma.ring.SendWqe;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A registered segment of this context. Safe for any thread. */
final class UdmaSegment implements ProviderSegment, SegmentTable.Entry {
    private final Exports exports;
    private final MemorySegment memory;
    private final @Nullable DeviceBytes device;
    private final @Nullable MemoryUse use;
    private final ExportedSegment<Grant> exported;
    private final int localKey;
    private final int openKey;
    private final ValueWatch values;
    private final AtomicInteger unfinished = new AtomicInteger();

    /**
     * Creates a segment.
     *
     * @param memory empty if its bytes lie on a device
     * @param device its bytes, if they lie on a device
     * @param use of its memory; null for foreign memory, and for that of a device
     * @param localKey of this machine's own work requests
     * @param openKey for everybody, when no token is asked for; 0 for none
     * @param values of its keys for single peers
     */
    UdmaSegment(
            Exports exports,
            MemorySegment memory,
            @Nullable DeviceBytes device,
            @Nullable MemoryUse use,
            ExportedSegment<Grant> exported,
            int localKey,
            int openKey,
            ValueWatch values) {
        this.exports = exports;
        this.memory = memory;
        this.device = device;
        this.use = use;
        this.exported = exported;
        this.localKey = localKey;
        this.openKey = openKey;
        this.values = values;
    }

    // ---- for the queues

    /** The handle in local ranges of work requests, which count from the segment's start. */
    int localKey() {
        return localKey;
    }

    /** The ranges of an element that has one range in it. */
    int asOneRange() {
        return isOnDevice() ? 1 | SendWqe.ON_DEVICE : 1;
    }

    /** Whether its bytes lie on a device. */
    boolean isOnDevice() {
        return device != null;
    }

    /** Its bytes on a device; null if they lie in memory of the host. */
    @Nullable
    DeviceBytes device() {
        return device;
    }

    /** A part of it as the card's keys have it, for one that {@code key} gives everything but the bytes. */
    KeyConfig part(KeyConfig key, long offset, long lengthBytes) {
        return device == null
                ? key.inMemory(memory.asSlice(offset, lengthBytes))
                : key.onDevice(device.part(offset, lengthBytes));
    }

    long lengthBytes() {
        return descriptor().lengthBytes();
    }

    /** Counts a work request that names it. */
    void pin() {
        unfinished.getAndIncrement();
    }

    void unpin() {
        unfinished.getAndDecrement();
    }

    // ---- for the control plane

    Exports exports() {
        return exports;
    }

    /** What the keys of single peers report to. */
    ValueWatch values() {
        return values;
    }

    @Nullable
    MemoryUse use() {
        return use;
    }

    @Override
    public ExportedSegment<Grant> exported() {
        return exported;
    }

    long vaBase() {
        return device == null ? memory.address() : device.address();
    }

    // ---- ProviderSegment

    @Override
    public int tokenId() {
        return exported.descriptor().tokenId();
    }

    @Override
    public SegmentDescriptor descriptor() {
        return exported.descriptor();
    }

    @Override
    public List<String> importers() {
        return exported.importers();
    }

    @Override
    public List<Importer> importing() {
        return exported.importing();
    }

    @Override
    public ProviderGrant grant(Importer importer, long offset, long lengthBytes, Access access) {
        return exports.windows().grant(this, importer, offset, lengthBytes, access);
    }

    @Override
    public ProviderGrant grant(PeerId peer, long offset, long lengthBytes, Access access) {
        return exports.grant(this, peer, offset, lengthBytes, access);
    }

    @Override
    public ProviderRoceGrant grant(ProviderSendQueue jetty, long offset, long lengthBytes, Access access) {
        return exports.grant(this, (Exports.BoundQueue) jetty, offset, lengthBytes, access);
    }

    @Override
    public boolean watch(Runnable onNotify) {
        values.watch(onNotify);
        return openKey == 0; // a key that is everybody's does not tell
    }

    @Override
    public void memoryLost() {
        exported.memoryLost();
    }

    @Override
    public int unfinished() {
        if (unfinished.get() > 0) {
            exports.settle();
        }
        return unfinished.get();
    }

    @Override
    public CompletableFuture<Void> publish(String name, boolean withToken) {
        return exports.publish(this, name, withToken);
    }

    @Override
    public Token token() {
        return exported.token();
    }

    @Override
    public CompletableFuture<Revocation> rotate(Token next, Duration timeout) {
        return exports.rotate(this, next, timeout);
    }

    @Override
    public CompletableFuture<Revocation> unregister(Duration timeout) {
        return exports.unregister(this, timeout);
    }

    @Override
    public String toString() {
        return exported.toString();
    }
}
