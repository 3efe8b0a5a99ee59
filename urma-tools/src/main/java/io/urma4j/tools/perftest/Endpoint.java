package io.urma4j.tools.perftest;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.AllocReport;
import io.urma4j.DeviceAttributes;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedJetty;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.MemoryBudget;
import io.urma4j.tools.Session;
import io.urma4j.tools.Units;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One side's memory and queues, and its imports of the peer's. Its context closes them. */
final class Endpoint {
    static final String ENDPOINT = "endpoint";

    private static final String SEGMENT = "segment";
    private static final String WORDS = "words";
    private static final String JETTY = "jetty.";

    private final Session session;
    private final UrmaContext context;
    private final Settings settings;
    private final Layout layout;
    private final LocalSegment words;
    private final PayloadMemory payloads;
    private final List<String> steps;
    private final @Nullable Jfce jfce;
    private final Jfc[] jfcs;
    private final @Nullable Jfs sharedJfs;
    private final List<Jfr> jfrs = new ArrayList<>();
    private final Lane[] lanes;
    private @Nullable RemoteSegment remote;
    private @Nullable RemoteSegment remoteWords;

    Endpoint(Session session, Settings settings) {
        this.session = session;
        this.context = session.context();
        this.settings = settings;
        this.layout = new Layout(settings);
        checkDevice();
        boolean onHost = session.memory().isHost();
        SharedMemory allocated = allocate(onHost ? layout.sizeBytes() : layout.wordsBytes());
        this.steps = steps(allocated.report());
        SegmentConfig config = SegmentConfig.of(Access.READ_WRITE_ATOMIC).withPolicy(settings.tokenPolicy());
        this.words = context.register(allocated, config);
        this.payloads = onHost ? new PayloadMemory.OnHost(words) : onDevice(config);
        this.jfce = settings.usesEvents() ? context.createJfce() : null;
        JfcConfig jfcConfig = new JfcConfig(jfcDepth(), settings.isLockFree());
        this.jfcs = new Jfc[settings.pairs()];
        for (int i = 0; i < jfcs.length; i++) {
            jfcs[i] = context.createJfc(jfcConfig, jfce);
        }
        this.sharedJfs = settings.sharesJfs() ? context.createJfs(jfcs[0], sendConfig(settings.lanes())) : null;
        this.lanes = new Lane[settings.lanes()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = lane(i);
        }
    }

    /** The requested depth; else a sufficient one within the device's limit. */
    private int jfcDepth() {
        long most = context.device().attributes().limits().jfcDepth();
        return (int)
                (settings.isGiven("--jfc_depth")
                        ? settings.jfcDepth()
                        : Math.max(settings.leastJfcDepth(), Math.min(settings.jfcDepth(), most)));
    }

    private void checkDevice() {
        DeviceAttributes device = context.device().attributes();
        for (Opcode opcode : Operations.needed(settings)) {
            if (!device.capabilities().opcodes().contains(opcode)) {
                throw new CommandFailure(device.name() + " does not offer " + opcode + ", which " + settings.workload()
                        + " needs with these options");
            }
        }
        if (settings.mode() == TransportMode.UM && settings.lastSizeBytes() > device.mtuBytes()) {
            throw new CommandFailure("--size " + settings.lastSizeBytes() + " and --trans_mode UM clash: a datagram of "
                    + device.name() + " has at most " + device.mtuBytes() + " bytes");
        }
    }

    private SharedMemory allocate(long lengthBytes) {
        MemoryBudget.now().check("the memory of " + settings.workload(), lengthBytes);
        AllocOptions options = AllocOptions.DEFAULT.withReserve();
        return context.allocate(lengthBytes, settings.hasHugePages() ? options.withHugePages() : options);
    }

    private PayloadMemory onDevice(SegmentConfig config) {
        DeviceMemory memory = session.allocateOnDevice(layout.sizeBytes());
        SharedMemory staging = allocate(Math.max(Long.BYTES, settings.lastSizeBytes()));
        return new PayloadMemory.OnDevice(context.register(memory, config), memory, staging.segment());
    }

    private List<String> steps(AllocReport report) {
        List<String> told = new ArrayList<>(report.steps());
        if (settings.hugePageBytes() > 0 && settings.hugePageBytes() != report.pageBytes()) {
            told.add("pages of " + Units.bytes(report.pageBytes()) + ", not of " + Units.bytes(settings.hugePageBytes())
                    + " as --hugepage_size asks");
        }
        return told;
    }

    private Lane lane(int index) {
        Jfc jfc = jfcs[index / settings.jetties()];
        boolean needsJfr = !settings.isSimplex() || settings.receives();
        Jfr jfr = needsJfr ? jfr(jfc, index) : null;
        if (settings.isSimplex() || jfr == null) {
            Jfs jfs = sharedJfs != null ? sharedJfs : context.createJfs(jfc, sendConfig(1));
            return new Lane(index, jfs, jfr, null);
        }
        Jetty jetty = context.createJetty(jfc, jfr, sendConfig(1));
        return new Lane(index, jetty.jfs(), jfr, jetty);
    }

    private JfsConfig sendConfig(int lanesOfIt) {
        return JfsConfig.builder()
                .mode(settings.mode())
                .orderType(settings.orderType())
                .depth(lanesOfIt * settings.laneDepth())
                .maxSges(settings.sges())
                .maxInlineBytes((int) settings.inlineBytes())
                .timeout(settings.errTimeout())
                .lockFree(settings.isLockFree())
                .build();
    }

    /** One of its own for each lane, or the one that its pair shares. */
    private Jfr jfr(Jfc jfc, int lane) {
        if (settings.sharesJfr() && lane % settings.jetties() > 0) {
            return jfrs.getLast();
        }
        JfrConfig config = JfrConfig.builder()
                .mode(settings.mode())
                .orderType(settings.orderType())
                .depth(settings.jfrDepth())
                .policy(settings.tokenPolicy())
                .build();
        Jfr jfr = context.createJfr(jfc, config);
        jfrs.add(jfr);
        return jfr;
    }

    /** The description by which the peer reaches it. */
    Line describe() {
        Line line = Line.of(ENDPOINT).with(SEGMENT, memory().share());
        if (!session.memory().isHost()) {
            line.with(WORDS, words.share());
        }
        for (Lane lane : lanes) {
            if (lane.jetty != null) {
                line.with(JETTY + lane.index, lane.jetty.share());
            } else if (lane.jfr != null) {
                line.with(JETTY + lane.index, lane.jfr.share());
            }
        }
        return line;
    }

    /** Imports the peer's memory and queues, and binds RC Jetties. */
    void connect(Line peer) {
        SharedSegment segment = SharedSegment.parse(peer.text(SEGMENT));
        checkKind(segment.descriptor().endpoints());
        remote = context.importSegment(segment);
        String apart = peer.values().get(WORDS);
        remoteWords = apart == null ? remote : context.importSegment(SharedSegment.parse(apart));
        for (Lane lane : lanes) {
            if (lane.jfr != null) {
                lane.target = context.importJetty(SharedJetty.parse(peer.text(JETTY + lane.index)));
                if (settings.mode() == TransportMode.RC && lane.jetty != null) {
                    lane.jetty.bind(lane.target);
                }
            }
        }
    }

    private void checkKind(List<io.urma4j.Endpoint> ways) {
        String kind = context.device().attributes().provider();
        List<String> kinds = ways.stream().map(io.urma4j.Endpoint::kind).toList();
        if (!kinds.contains(kind)) {
            throw new CommandFailure(
                    "this side is on device " + context.device().name() + ", and the other on one of kind "
                            + String.join(" or ", kinds) + "; see --device");
        }
    }

    Layout layout() {
        return layout;
    }

    /** The segment of payloads and counters. */
    LocalSegment memory() {
        return payloads.segment();
    }

    PayloadMemory payloads() {
        return payloads;
    }

    /** The segment of the words, which this side polls: of the host's memory. */
    LocalSegment words() {
        return words;
    }

    /** The peer's payloads and counters; only after {@link #connect}. */
    RemoteSegment remote() {
        return connected(remote);
    }

    /** The peer's words; only after {@link #connect}. */
    RemoteSegment remoteWords() {
        return connected(remoteWords);
    }

    private static RemoteSegment connected(@Nullable RemoteSegment segment) {
        if (segment == null) {
            throw new IllegalStateException("not connected yet");
        }
        return segment;
    }

    /** One for each pair. */
    Jfc[] jfcs() {
        return jfcs;
    }

    /** Null when completions are polled for. */
    @Nullable
    Jfce jfce() {
        return jfce;
    }

    Lane[] lanes() {
        return lanes;
    }

    List<Jfr> jfrs() {
        return jfrs;
    }

    /** Whether the polling thread places arriving payload: then a thread that only watches memory must poll, too. */
    boolean isDriven() {
        return !context.device().attributes().capabilities().oneSided();
    }

    String deviceName() {
        return context.device().name();
    }

    /** The I/O path, as the device describes it. */
    String ioPath() {
        return context.device().attributes().ioPath();
    }

    /** What the allocation could not provide as requested. */
    List<String> steps() {
        return steps;
    }
}
