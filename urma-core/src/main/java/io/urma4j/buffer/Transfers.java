package io.urma4j.buffer;

import io.urma4j.DeviceAttributes;
import io.urma4j.Jfce;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Await;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Nanos;
import io.urma4j.internal.ResultExecutors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * READs and WRITEs between the memory that peers have exported and buffers of this process, one by one or in {@linkplain BatchOp
 * batches}. It owns its queues: one for each home. Safe for any number of threads; a batch is for one thread at a time.
 *
 * <pre>{@code
 * try (Transfers transfers = Transfers.open(TransferOptions.DEFAULT, shm, udma)) {
 *     RemoteBuf remote = codec.decode(message);
 *     transfers.read(remote, buf.view().first(remote.size())).join().orThrow();
 * }
 * }</pre>
 *
 * <p>A transfer goes by the first device that both have and that maps memory, else by the first that both have. Its window is opened
 * at the first use, and stays open for later ones, up to the limits of {@link TransferOptions}. Requests have at most {@link
 * TransferOptions#maxSges} local ranges; more make several.
 *
 * <p>Requests to one home are posted {@link TransferOptions#perPost} at a time, while no more than {@link
 * TransferOptions#maxUnfinished} are unfinished; the rest waits, and is posted in order. A home that refuses or is silent fails
 * the requests to itself that are in flight at that moment, and delays none to others. Then its queue is made ready again (S14.26).
 *
 * <p>A buffer is held from the post until its last request has ended, whatever result the transfer has (S14.9).
 */
public final class Transfers implements AutoCloseable {
    private static final String NAME = "Transfers";

    private final TransferOptions options;
    private final List<OpenHomes> homes = new ArrayList<>(); // by context, unchanged once it is open
    private final List<TransferThread> threads = new ArrayList<>();
    private final boolean[] mapped; // by context: its device maps memory
    private final long[] longestBytes; // of a request
    private final int[] sges;
    private final TransferCounters counters = new TransferCounters();
    private final TransferDeadlines deadlines;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private volatile @Nullable Thread closing; // the first thread that closes it

    private Transfers(TransferOptions options, List<UrmaContext> contexts, LongSupplier clock) {
        this.options = options;
        this.deadlines = new TransferDeadlines(clock);
        this.mapped = new boolean[contexts.size()];
        this.longestBytes = new long[contexts.size()];
        this.sges = new int[contexts.size()];
        for (int i = 0; i < contexts.size(); i++) {
            UrmaContext context = contexts.get(i);
            DeviceAttributes device = ApiAccess.api().attributesOf(context);
            mapped[i] = device.capabilities().mappable();
            longestBytes[i] = device.limits().readWriteBytes();
            sges[i] = TransferQueue.sges(context, options);
        }
    }

    private void openHomes(UrmaContext context) {
        Jfce jfce = options.progress() == TransferProgress.BY_THREAD ? context.createJfce() : null;
        OpenHomes made = new OpenHomes(context, options, counters, jfce);
        homes.add(made);
        if (jfce != null) {
            try {
                threads.add(new TransferThread(made, deadlines, jfce, closed::get));
            } catch (UrmaException e) {
                jfce.close();
                throw e;
            }
        }
    }

    /**
     * Opens it, without queues. It is closed with the first of its contexts that is closed.
     *
     * @param contexts 1 to 16 different ones, in the order of the {@link Peer} that homes export to
     * @throws UrmaException EINVAL for another number, for one that stands there twice or is closed, or for more unfinished
     *     requests than a device allows
     */
    public static Transfers open(TransferOptions options, UrmaContext... contexts) {
        return open(options, System::nanoTime, contexts);
    }

    /** With a clock for its timeouts. */
    static Transfers open(TransferOptions options, LongSupplier clock, UrmaContext... contexts) {
        List<UrmaContext> distinct = Registrations.distinct(NAME, contexts);
        for (UrmaContext context : distinct) {
            int most = ApiAccess.api().attributesOf(context).limits().jfsDepth() - 1;
            Checks.inRange(NAME, "maxUnfinished on " + context, options.maxUnfinished(), 1, most);
        }
        Transfers transfers = new Transfers(options, distinct, clock);
        try {
            distinct.forEach(transfers::openHomes);
            distinct.forEach(context -> ApiAccess.api().adopt(context, transfers));
        } catch (UrmaException e) {
            transfers.close();
            throw e;
        }
        transfers.threads.forEach(TransferThread::start);
        return transfers;
    }

    /** The peer that homes export to, for these transfers. */
    public Peer peer() {
        return Peer.of(homes.stream().map(OpenHomes::context).toArray(UrmaContext[]::new));
    }

    // ---- transfers

    /**
     * Fills local ranges, one after the other, with the bytes of a remote buffer: a batch of one, with the timeout of the options.
     *
     * @return the result, as {@link BatchOp#post} has it
     * @throws UrmaException as {@link BatchOp#add} and {@link BatchOp#post}
     */
    public CompletableFuture<TransferResult> read(RemoteBuf remote, BufView... locals) {
        return readBatch().add(remote, locals).post(options.timeout());
    }

    /** Copies local ranges, one after the other, into a remote buffer; otherwise as {@link #read}. */
    public CompletableFuture<TransferResult> write(RemoteBuf remote, BufView... locals) {
        return writeBatch().add(remote, locals).post(options.timeout());
    }

    /** An empty batch of READs. */
    public BatchOp readBatch() {
        return new BatchOp(this, true);
    }

    /** An empty batch of WRITEs. */
    public BatchOp writeBatch() {
        return new BatchOp(this, false);
    }

    /**
     * Takes the results of requests, posts what waits for them, and times out batches. Never blocks. Under {@link
     * TransferProgress#BY_CALLER} nothing else times out batches, and only posts take results besides. Safe for several threads.
     *
     * @return how many batches have ended
     * @throws UrmaException EINVAL when closed
     */
    public int poll() {
        checkOpen();
        int ended = 0;
        for (int i = 0; i < homes.size(); i++) {
            for (TransferQueue queue : homes.get(i).queues()) {
                ended += queue.poll();
            }
        }
        deadlines.expire();
        return ended;
    }

    /** A snapshot. */
    public TransfersStats stats() {
        List<TransferQueue> queues = new ArrayList<>();
        homes.forEach(one -> queues.addAll(Arrays.asList(one.queues())));
        return new TransfersStats(
                counters.succeeded.sum(),
                counters.failed.sum(),
                counters.timedOut.sum(),
                counters.readBytes.sum(),
                counters.writtenBytes.sum(),
                queues.stream().mapToLong(TransferQueue::unfinished).sum(),
                queues.stream().mapToInt(TransferQueue::waiting).sum(),
                queues.size(),
                homes.stream().mapToInt(OpenHomes::segmentCount).sum(),
                homes.stream().mapToInt(OpenHomes::windowCount).sum(),
                counters.recoveries.sum());
    }

    // ---- for batches

    /** The window of the device that both sides have; one that maps memory first. */
    RemoteBuf.Window choose(BatchOp batch, RemoteBuf remote, BufView[] locals) {
        RemoteBuf.Window chosen = null;
        List<RemoteBuf.Window> windows = remote.windows();
        if (windows.size() == 1 && windows.getFirst().user() < homes.size()) {
            return windows.getFirst(); // whether the views are registered there is seen when they are added
        }
        for (int i = 0; i < windows.size(); i++) { // without the garbage of an iterator
            RemoteBuf.Window window = windows.get(i);
            boolean isBetter = chosen == null
                    || (window.user() < mapped.length && mapped[window.user()] && !mapped[chosen.user()]);
            if (isBetter && canUse(window, locals)) {
                chosen = window;
            }
        }
        if (chosen == null) {
            throw Checks.invalid(
                    batch,
                    "has no device that " + remote + " and all local buffers have: its windows are for the contexts at "
                            + windows.stream().map(RemoteBuf.Window::user).toList() + " of "
                            + homes.stream().map(OpenHomes::context).toList());
        }
        return chosen;
    }

    private boolean canUse(RemoteBuf.Window window, BufView[] locals) {
        if (window.user() >= homes.size()) {
            return false;
        }
        UrmaContext context = context(window.user());
        for (BufView local : locals) {
            if (!local.isRegisteredWith(context)) {
                return false;
            }
        }
        return true;
    }

    UrmaContext context(int user) {
        return homes.get(user).context();
    }

    OpenHomes homes(int user) {
        return homes.get(user);
    }

    /** The most bytes of a request. */
    long longestBytes(int user) {
        return longestBytes[user];
    }

    /** The most local ranges of a request. */
    int sges(int user) {
        return sges[user];
    }

    TransferDeadlines deadlines() {
        return deadlines;
    }

    TransferCounters counters() {
        return counters;
    }

    boolean isClosed() {
        return closed.get();
    }

    void checkOpen() {
        if (closed.get()) {
            throw Checks.closed(this);
        }
    }

    // ---- posts

    /** Posts a batch whose buffers are held: at once if all its windows can be opened without asking their homes. */
    void start(BatchOp batch, long timeoutNanos) {
        if (deadlines.add(batch, timeoutNanos) && !threads.isEmpty()) {
            threads.getFirst().wake();
        }
        boolean isOpen = true;
        try {
            for (int i = 0; i < batch.partCount(); i++) {
                isOpen &= homes(batch.part(i).user()).useKnown(batch.part(i));
            }
        } catch (UrmaException e) {
            batch.fail(e);
        }
        if (isOpen || batch.isStopped()) {
            submit(batch);
        } else {
            ResultExecutors.VIRTUAL_THREADS.execute(() -> openAndSubmit(batch));
        }
    }

    private void openAndSubmit(BatchOp batch) {
        try {
            for (int i = 0; i < batch.partCount(); i++) {
                homes(batch.part(i).user()).open(batch.part(i));
            }
        } catch (UrmaException e) {
            batch.fail(e);
        } catch (RuntimeException e) { // whatever it is, the batch must end
            batch.fail(new UrmaException(UrmaStatus.FAIL, batch, "could not be opened", e));
        }
        submit(batch);
    }

    private static void submit(BatchOp batch) {
        int parts = batch.partCount();
        for (int i = 0; i < parts; i++) {
            BatchPart part = batch.part(i);
            if (batch.isStopped()) {
                batch.endPart(part);
            } else {
                part.chooseQueue().submit(part);
            }
        }
        batch.release();
    }

    // ---- the end

    /**
     * Closes it: transfers that have not ended are discarded, with the result CLOSED, and their holds end. Idempotent; a close
     * during that of another thread waits for it.
     *
     * @throws UrmaException ETIMEOUT if the close of another thread has not ended within the close timeout
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            closing = Thread.currentThread();
            try {
                closeAll();
            } finally {
                end.complete(true);
            }
        } else if (!Thread.currentThread().equals(closing)) { // the result of a batch that it ends may close it again
            awaitEnd();
        }
    }

    private void closeAll() {
        UrmaException failure = Checks.closed(this);
        RuntimeException first = null;
        for (OpenHomes one : homes) {
            try {
                one.close(failure);
            } catch (UrmaException e) {
                first = ClosingOrder.joined(first, e);
            }
            ApiAccess.api().disown(one.context(), this);
        }
        threads.forEach(TransferThread::close);
        ClosingOrder.throwIfFailed(first);
    }

    private void awaitEnd() {
        Duration budget = homes.stream()
                .map(one -> ApiAccess.api().closeBudget(one.context()))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        if (!Await.endsWithin(Nanos.of(budget), end)) {
            throw new UrmaException(
                    UrmaStatus.ETIMEOUT, this, "another thread closes it, and has not ended within " + budget);
        }
    }

    @Override
    public String toString() {
        return "transfers on " + homes.stream().map(OpenHomes::context).toList();
    }
}
