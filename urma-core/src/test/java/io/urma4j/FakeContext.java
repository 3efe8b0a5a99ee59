package io.urma4j;

import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderMemory;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A context of {@link FakeProvider}. */
final class FakeContext implements ProviderContext {
    private final int uasid;

    /** What its API context shows to others. */
    final ContextEvents events;

    private int ids = 1023;

    /** Imports of segments and queues wait until a test answers them. */
    boolean holdImports;

    final List<CompletableFuture<ProviderImport>> heldImports = new ArrayList<>();

    /** What is still open of what this context made, by its words. */
    final List<String> open = new CopyOnWriteArrayList<>();

    /** Of the memory that was allocated, in that order. */
    final List<Arena> arenas = new CopyOnWriteArrayList<>();

    /** In the order in which they were made. */
    final List<FakeSendQueue> sendQueues = new CopyOnWriteArrayList<>();

    /** What the next registrations are refused with. */
    final Queue<UrmaException> refusals = new ConcurrentLinkedQueue<>();

    /** What the next closes of memory are refused with. */
    final Queue<UrmaException> memoryRefusals = new ConcurrentLinkedQueue<>();

    /** Runs while a registration is in progress. */
    Runnable whileRegistering = () -> {};

    /** What the next grants of windows are refused with. */
    final Queue<UrmaException> grantRefusals = new ConcurrentLinkedQueue<>();

    /** The windows that were granted to peers, in that order. */
    final List<FakeGrants.Fake> grants = new CopyOnWriteArrayList<>();

    /** What the next windows of imports are refused with. */
    final Queue<UrmaException> windowRefusals = new ConcurrentLinkedQueue<>();

    /** Whether homes revoke windows before they are opened. */
    volatile boolean takesWindowsBack;

    /** The imports that were made, in that order. */
    final List<FakeImport> imports = new CopyOnWriteArrayList<>();

    /** What the next additions to a group are refused with. */
    final Queue<UrmaException> memberRefusals = new ConcurrentLinkedQueue<>();

    /** How the next work requests end; SUCCESS when it is empty. */
    final Queue<CompletionStatus> results = new ConcurrentLinkedQueue<>();

    /** Runs while the counters of a send queue are read. */
    Runnable whileCounting = () -> {};

    FakeContext(int uasid, ContextEvents events) {
        this.uasid = uasid;
        this.events = events;
    }

    /** Throws it. */
    static void fail(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    static FakeContext of(UrmaContext context) {
        try (Jfc jfc = context.createJfc(JfcConfig.DEFAULT)) {
            return ((FakeJfc) jfc.provider()).context;
        }
    }

    @Override
    public Eid eid() {
        return Descriptors.EID;
    }

    @Override
    public int uasid() {
        return uasid;
    }

    @Override
    public long incarnation() {
        return 7;
    }

    @Override
    public ProviderMemory allocate(long lengthBytes, AllocOptions options) {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(lengthBytes, 4096);
        open.add("memory");
        arenas.add(arena);
        return new ProviderMemory() {
            @Override
            public MemorySegment segment() {
                return segment;
            }

            @Override
            public AllocReport report() {
                return new AllocReport(lengthBytes, 4096, List.of());
            }

            @Override
            public void close() {
                UrmaException refusal = memoryRefusals.poll();
                if (refusal != null) {
                    throw refusal;
                }
                open.remove("memory");
                if (segment.scope().isAlive()) { // a test may have closed it
                    arena.close();
                }
            }
        };
    }

    @Override
    public int allocateTokenId() {
        open.add("token id");
        return ++ids;
    }

    @Override
    public void freeTokenId(int tokenId) {
        open.remove("token id");
    }

    @Override
    public CompletableFuture<ProviderSegment> register(SegmentRequest request) {
        UrmaException refusal = refusals.poll();
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        whileRegistering.run();
        int tokenId = request.tokenId() == 0 ? ++ids : request.tokenId();
        return CompletableFuture.completedFuture(new FakeSegment(this, tokenId, request));
    }

    @Override
    public CompletableFuture<ProviderImport> importSegment(ImportRequest request) {
        if (holdImports) {
            CompletableFuture<ProviderImport> held = new CompletableFuture<>();
            heldImports.add(held);
            return held;
        }
        return CompletableFuture.completedFuture(newImport(request.descriptor(), request.access()));
    }

    FakeImport newImport(SegmentDescriptor descriptor, Access access) {
        FakeImport made = new FakeImport(this, descriptor.lengthBytes(), access);
        imports.add(made);
        return made;
    }

    @Override
    public ProviderJfc createJfc(JfcConfig config, Runnable onEvent) {
        return new FakeJfc(this, ++ids, config, onEvent);
    }

    @Override
    public ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc) {
        return new FakeReceiveQueue(this, ++ids, config);
    }

    @Override
    public ProviderJettyGroup createJettyGroup(JettyGroupConfig config) {
        return new FakeGroup(this, ++ids);
    }

    @Override
    public ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc) {
        FakeSendQueue queue = new FakeSendQueue(this, ++ids, config, (FakeJfc) jfc);
        sendQueues.add(queue);
        return queue;
    }

    @Override
    public CompletableFuture<ProviderTarget> importQueue(
            JettyDescriptor descriptor, @Nullable Token token, Duration timeout) {
        return CompletableFuture.completedFuture(new FakeTarget(this, descriptor.id()));
    }

    @Override
    public CompletableFuture<NamedSegment> lookup(String name, Duration timeout) {
        return CompletableFuture.failedFuture(new UrmaException(UrmaStatus.EINVAL, "fake", "no process published it"));
    }

    @Override
    public CompletableFuture<List<PublishedSegment>> published(Duration timeout) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<Void> close(Duration timeout) {
        return CompletableFuture.completedFuture(null);
    }

    JettyDescriptor descriptor(int id, JettyDescriptor.Kind kind, TransportMode mode, OrderType orderType) {
        return new JettyDescriptor(
                new JettyId(eid(), uasid, id),
                kind,
                incarnation(),
                mode,
                orderType.effective(mode),
                TokenPolicy.PLAIN_TEXT,
                List.of());
    }

    /** A group whose members get no messages. */
    private record FakeGroup(FakeContext context, int id) implements ProviderJettyGroup {
        @Override
        public JettyDescriptor descriptor() {
            return context.descriptor(id, JettyDescriptor.Kind.GROUP, TransportMode.RM, OrderType.DEF);
        }

        @Override
        public void add(ProviderSendQueue jetty) {
            UrmaException refusal = context.memberRefusals.poll();
            if (refusal != null) {
                throw refusal;
            }
        }

        @Override
        public void remove(ProviderSendQueue jetty) {
            // no message reaches it anyway
        }

        @Override
        public void close() {
            // nothing was opened
        }
    }

    /** A registered segment. */
    static final class FakeSegment implements ProviderSegment {
        private final FakeContext context;
        private final int tokenId;
        final SegmentRequest request;
        private Token token;
        int unfinished;

        /** What happens in unregister, such as a failure. */
        Runnable onUnregister = () -> {};

        /** What unregister answers; a test may keep it open. */
        CompletableFuture<Revocation> revocation = CompletableFuture.completedFuture(Revocation.COMPLETED);

        FakeSegment(FakeContext context, int tokenId, SegmentRequest request) {
            this.context = context;
            this.tokenId = tokenId;
            this.request = request;
            this.token = request.token();
            context.open.add("segment");
        }

        static FakeSegment of(LocalSegment segment, UrmaContext context) {
            return (FakeSegment) segment.checked(context, 0, 0);
        }

        @Override
        public int tokenId() {
            return tokenId;
        }

        @Override
        public SegmentDescriptor descriptor() {
            long length =
                    request.memory() == null ? 1 : request.memory().segment().byteSize();
            return new SegmentDescriptor(
                    context.eid(),
                    context.uasid,
                    7,
                    tokenId,
                    length,
                    request.access(),
                    request.policy(),
                    new SegmentDescriptor.Capabilities(true, false, true, MemoryKind.HOST),
                    List.of());
        }

        @Override
        public List<String> importers() {
            return List.of();
        }

        @Override
        public int unfinished() {
            return unfinished;
        }

        @Override
        public ProviderGrant grant(PeerId peer, long offset, long lengthBytes, Access access) {
            UrmaException refusal = context.grantRefusals.poll();
            if (refusal != null) {
                throw refusal;
            }
            int slot = context.grants.size();
            FakeGrants.Fake grant =
                    new FakeGrants.Fake(new WindowKey(-peer.incarnation(), slot, 1, offset, lengthBytes, access));
            context.grants.add(grant);
            return grant;
        }

        @Override
        public CompletableFuture<Void> publish(String name, boolean withToken) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Token token() {
            return token;
        }

        @Override
        public CompletableFuture<Revocation> rotate(Token next, Duration timeout) {
            token = next;
            return revocation;
        }

        @Override
        public CompletableFuture<Revocation> unregister(Duration timeout) {
            context.open.remove("segment");
            onUnregister.run();
            return revocation;
        }
    }

    /** An imported segment. */
    static final class FakeImport implements ProviderImport {
        private final FakeContext context;
        private final long lengthBytes;
        private final Access access;
        final AtomicInteger looks = new AtomicInteger();
        int unfinished;

        /** What happens in a close, such as a failure. */
        Runnable onClose = () -> {};

        boolean revoked;

        /** The look that is the first to find it revoked. */
        volatile int revokedAtLook = Integer.MAX_VALUE;

        volatile boolean hasOpened; // a window

        FakeImport(FakeContext context, long lengthBytes, Access access) {
            this.context = context;
            this.lengthBytes = lengthBytes;
            this.access = access;
            context.open.add("import");
        }

        static FakeImport of(RemoteSegment segment, UrmaContext context) {
            return (FakeImport) segment.checkedForRead(context, 0, 0);
        }

        @Override
        public Access access() {
            return access;
        }

        @Override
        public long lengthBytes() {
            return lengthBytes;
        }

        @Override
        public boolean isRevoked() {
            return revoked || looks.incrementAndGet() >= revokedAtLook;
        }

        @Override
        public int unfinished() {
            return unfinished;
        }

        @Override
        public CompletableFuture<ProviderWindow> window(WindowKey key, Duration timeout) {
            UrmaException refusal = context.windowRefusals.poll();
            if (refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
            hasOpened = true;
            return CompletableFuture.completedFuture(new FakeWindow(this, context.takesWindowsBack));
        }

        @Override
        public boolean opensAtOnce(WindowKey key) {
            return hasOpened; // the home must be asked for the first
        }

        @Override
        public CompletableFuture<Void> close() {
            context.open.remove("import");
            onClose.run();
            return CompletableFuture.completedFuture(null);
        }
    }

    private record FakeWindow(FakeImport begin, boolean isTakenBack) implements ProviderWindow {
        @Override
        public void end() {
            // nothing was announced
        }

        @Override
        public int unfinished() {
            return 0;
        }
    }

    /** An imported queue. */
    static final class FakeTarget implements ProviderTarget {
        private final FakeContext context;
        private final JettyId id;

        FakeTarget(FakeContext context, JettyId id) {
            this.context = context;
            this.id = id;
            context.open.add("target");
        }

        @Override
        public JettyId id() {
            return id;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public int unfinished() {
            return 0;
        }

        @Override
        public CompletableFuture<Void> close() {
            context.open.remove("target");
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Hands out the records that its queues made. */
    static final class FakeJfc implements ProviderJfc {
        final FakeContext context;
        private final int id;
        private final JfcConfig config;
        private final Runnable onEvent;
        private final ArrayDeque<long[]> records = new ArrayDeque<>();
        private boolean armed;

        /** What another thread does when the JFC is asked whether it is valid. */
        Runnable onCheck = () -> {};

        FakeJfc(FakeContext context, int id, JfcConfig config, Runnable onEvent) {
            this.context = context;
            this.id = id;
            this.config = config;
            this.onEvent = onEvent;
            context.open.add("JFC");
        }

        synchronized void add(long[] record) {
            records.add(record);
            if (armed) {
                armed = false;
                onEvent.run();
            }
        }

        synchronized void removeRecordsOf(int queueId) {
            records.removeIf(record -> CompletionRecord.localId(record[0]) == queueId);
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public int depth() {
            return config.depth();
        }

        @Override
        public boolean isValid() {
            onCheck.run();
            return true;
        }

        @Override
        public synchronized int poll(long[] words, int maxRecords) {
            int count = 0;
            while (count < maxRecords && !records.isEmpty()) {
                System.arraycopy(records.remove(), 0, words, count++ * CompletionRecord.WORDS, CompletionRecord.WORDS);
            }
            return count;
        }

        @Override
        public synchronized void rearm(boolean solicitedOnly) {
            armed = records.isEmpty();
            if (!armed) {
                onEvent.run();
            }
        }

        @Override
        public Counters counters() {
            return Counters.builder().build();
        }

        @Override
        public void close() {
            context.open.remove("JFC");
        }
    }

    /** Writes down receives. */
    static final class FakeReceiveQueue implements ProviderReceiveQueue {
        private final FakeContext context;
        private final int id;
        private final JfrConfig config;
        private ReceiveState state = ReceiveState.READY;
        final List<Long> receives = new CopyOnWriteArrayList<>();

        FakeReceiveQueue(FakeContext context, int id, JfrConfig config) {
            this.context = context;
            this.id = id;
            this.config = config;
            context.open.add("JFR");
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public int depth() {
            return config.depth();
        }

        @Override
        public void rxThreshold(int threshold) {
            // the fake has no events
        }

        @Override
        public ReceiveState state() {
            return state;
        }

        @Override
        public JettyDescriptor descriptor() {
            return context.descriptor(id, JettyDescriptor.Kind.JFR, config.mode(), config.orderType());
        }

        @Override
        public boolean receive(ProviderSegment buffer, long offset, long lengthBytes, long userContext) {
            receives.add(userContext);
            return true;
        }

        @Override
        public boolean receive(WorkRequest request) {
            receives.add(request.userContext);
            return true;
        }

        @Override
        public void modify(ReceiveState next) {
            state = next;
        }

        @Override
        public Counters counters() {
            return Counters.builder().build();
        }

        @Override
        public void close() {
            context.open.remove("JFR");
        }
    }

    /** Writes down posts, and ends each at once as the context's {@link #results} say. */
    static final class FakeSendQueue implements ProviderSendQueue {
        private final FakeContext context;
        private final int id;
        private final JfsConfig config;
        final FakeJfc jfc;
        private QueueState state;
        private final ArrayDeque<Long> unstarted = new ArrayDeque<>();

        /** What was accepted, as words: opcode, then lengths. */
        final List<String> posts = new CopyOnWriteArrayList<>();

        /** How many more posts find room. */
        int room = Integer.MAX_VALUE;

        /** How many records it made for work requests. */
        int records;

        /** Whether a move to ERROR makes a marker. */
        boolean marksErrors;

        /** What bind answers; a test may keep it open. */
        CompletableFuture<Void> binding = CompletableFuture.completedFuture(null);

        /** What another thread does when a bind has reached the queue, and has not begun. */
        Runnable onBind = () -> {};

        /** What another thread does while the queue is being closed. */
        Runnable onClose = () -> {};

        private boolean holding;
        private final List<long[]> held = new ArrayList<>();

        FakeSendQueue(FakeContext context, int id, JfsConfig config, FakeJfc jfc) {
            this.context = context;
            this.id = id;
            this.config = config;
            this.jfc = jfc;
            this.state = config.mode() == TransportMode.RC ? QueueState.RESET : QueueState.READY;
            context.open.add("send queue");
        }

        static FakeSendQueue of(Jfs jfs) {
            return (FakeSendQueue) jfs.provider();
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public int depth() {
            return config.depth();
        }

        @Override
        public QueueState state() {
            return state;
        }

        @Override
        public JettyDescriptor descriptor() {
            return context.descriptor(id, JettyDescriptor.Kind.JETTY, config.mode(), config.orderType());
        }

        private boolean accept(Opcode opcode, long lengthBytes, long userContext) {
            return accept(opcode, lengthBytes, userContext, PostFlags.SIGNALLED_BIT);
        }

        private synchronized boolean accept(Opcode opcode, long lengthBytes, long userContext, int flags) {
            if (room == 0) {
                return false;
            }
            room--;
            posts.add(opcode + " " + lengthBytes);
            CompletionStatus status = context.results.poll();
            if (state == QueueState.ERROR && status == null) {
                unstarted.add(userContext);
                return true;
            }
            CompletionStatus result = status == null ? CompletionStatus.SUCCESS : status;
            if (result != CompletionStatus.SUCCESS || (flags & PostFlags.SIGNALLED_BIT) != 0) {
                held.add(record(result, 0, opcode, userContext, lengthBytes));
                records++;
            }
            if (result != CompletionStatus.SUCCESS) {
                state = QueueState.ERROR;
            }
            if (!holding) {
                deliver();
            }
            return true;
        }

        /** Keeps records back, and so lets work requests be started at the same time. */
        synchronized void hold(boolean on) {
            holding = on;
            if (!on) {
                deliver();
            }
        }

        private void deliver() {
            if (state == QueueState.ERROR && !held.isEmpty()) {
                held.add(record(CompletionStatus.WR_FLUSH_ERR_DONE, CompletionRecord.FLUSH_ERR_DONE, Opcode.NOP, 0, 0));
            }
            held.forEach(jfc::add);
            held.clear();
        }

        private long[] record(CompletionStatus status, int flags, Opcode opcode, long userContext, long lengthBytes) {
            long[] record = new long[CompletionRecord.WORDS];
            record[0] = CompletionRecord.header(status.value(), opcode.value(), flags, id);
            record[CompletionRecord.USER_CONTEXT] = userContext;
            record[CompletionRecord.LENGTH] = lengthBytes;
            return record;
        }

        @Override
        public boolean write(
                ProviderImport target,
                long targetOffset,
                ProviderSegment source,
                long sourceOffset,
                long lengthBytes,
                long userContext,
                int flags) {
            return accept(Opcode.WRITE, lengthBytes, userContext);
        }

        @Override
        public boolean read(
                ProviderImport source,
                long sourceOffset,
                ProviderSegment destination,
                long destinationOffset,
                long lengthBytes,
                long userContext,
                int flags) {
            return accept(Opcode.READ, lengthBytes, userContext);
        }

        @Override
        public boolean atomic(
                int opcode,
                ProviderImport target,
                long targetOffset,
                ProviderSegment result,
                long resultOffset,
                int sizeBytes,
                long operand,
                long expected,
                long userContext,
                int flags) {
            return accept(Opcode.of(opcode), sizeBytes, userContext);
        }

        @Override
        public boolean send(
                int opcode,
                @Nullable ProviderTarget target,
                ProviderSegment source,
                long sourceOffset,
                long lengthBytes,
                long immediate,
                long userContext,
                int flags) {
            return accept(Opcode.of(opcode), lengthBytes, userContext);
        }

        @Override
        public boolean post(WorkRequest request) {
            return accept(Opcode.of(request.opcode), request.lengthBytes, request.userContext, request.flags);
        }

        @Override
        public synchronized void modify(QueueState next) {
            state = next;
            if (marksErrors && next == QueueState.ERROR) {
                jfc.add(record(CompletionStatus.WR_FLUSH_ERR_DONE, CompletionRecord.FLUSH_ERR_DONE, Opcode.NOP, 0, 0));
            }
        }

        @Override
        public synchronized int flush(long[] words, int maxRecords) {
            int count = 0;
            while (count < maxRecords && !unstarted.isEmpty()) {
                long[] record = record(CompletionStatus.WR_UNHANDLED, 0, Opcode.SEND, unstarted.remove(), 0);
                System.arraycopy(record, 0, words, count++ * CompletionRecord.WORDS, CompletionRecord.WORDS);
            }
            return count;
        }

        @Override
        public synchronized long[] quiesce(Duration timeout) {
            state = QueueState.ERROR;
            long[] words = new long[unstarted.size() * CompletionRecord.WORDS];
            flush(words, unstarted.size());
            return words;
        }

        @Override
        public CompletableFuture<Void> bind(ProviderTarget target, Duration timeout) {
            onBind.run();
            return binding.thenRun(() -> {
                state = QueueState.READY;
            });
        }

        @Override
        public boolean isDraining() {
            return false;
        }

        @Override
        public CompletableFuture<Void> unbind(Duration timeout) {
            state = QueueState.RESET;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Counters counters() {
            context.whileCounting.run();
            return Counters.builder().add("posted", posts.size()).build();
        }

        @Override
        public void close() {
            context.open.remove("send queue");
            onClose.run();
            jfc.removeRecordsOf(id);
        }
    }
}
