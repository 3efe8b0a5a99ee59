package io.urma4j.tools.perftest;

import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.tools.SizeConverter;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * Options of a run, which both sides must agree on. They are declared here and read by name, as given by the user;
 * {@link Settings} has the defaults.
 */
final class RunOptions {
    /** The options that may differ between the sides. */
    private static final Set<String> OWN = Set.of(
            "--device",
            "--eid_idx",
            "--server",
            "--port",
            "--local",
            "--child",
            "--memory",
            "--server_memory",
            "--json",
            "--csv",
            "--plot",
            "--bw_unit",
            "--debug",
            "--help",
            "--version");

    /** Units of {@code --rate_limit}: MB/s, Gb/s, thousands of operations a second. */
    enum RateUnit {
        M,
        G,
        P
    }

    /** Which atomic. */
    @SuppressWarnings("MemberName") // as users write them
    enum Atomic {
        cas,
        faa
    }

    // ---- how much

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Bytes per operation: 64, 4K. Default: 2 for latency, 64K for bandwidth, 8 for atomics.")
    @Nullable
    Long size;

    @Option(
            names = {"-a", "--all"},
            description = "All powers of two from --min_size to --max_size; default: 2 to 8M.")
    boolean all;

    @Option(names = "--min_size", paramLabel = "BYTES", converter = SizeConverter.class, description = "See --all.")
    @Nullable
    Long minSize;

    @Option(names = "--max_size", paramLabel = "BYTES", converter = SizeConverter.class, description = "See --all.")
    @Nullable
    Long maxSize;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "COUNT",
            description = "Operations per size, at least 5; default: about one second's worth.")
    @Nullable
    Long iters;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            description = "Measure each size for this time instead of --iters.")
    @Nullable
    Integer duration;

    @Option(
            names = {"-y", "--infinite"},
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Bandwidth: run until Ctrl-C or --duration, and print a line every SECONDS; default: 2.")
    @Nullable
    Integer infinite;

    @Option(
            names = {"-w", "--warm_up"},
            paramLabel = "COUNT",
            description =
                    "Untimed operations before each size; default: many before the first, few before others, until "
                            + "the JIT compiler is idle.")
    @Nullable
    Long warmUp;

    @Option(names = "--no-verify", description = "Do not verify the received data.")
    boolean noVerify;

    // ---- which operations

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "TYPE",
            description = "cas (default) or faa.")
    @Nullable
    Atomic atomicType;

    @Option(
            names = {"-B", "--bidirection"},
            description = "Bandwidth: both sides send at the same time; the table shows the sum.")
    boolean bidirection;

    @Option(names = "--enable_imm", description = "Use writes and sends with an immediate.")
    boolean enableImm;

    @Option(names = "--enable_notify", description = "Use writes that store a second value after all bytes.")
    boolean enableNotify;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "Send payloads of up to this many bytes inline; default: none.")
    @Nullable
    Integer inlineSize;

    @Option(names = "--sge_num", paramLabel = "COUNT", description = "Local ranges per operation; default: 1.")
    @Nullable
    Integer sgeNum;

    @Option(
            names = {"-f", "--use_flat_api"},
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "BOOLEAN",
            description = "true: post by single calls, and refuse operations without one; false: post all by lists. "
                    + "Default: single calls where possible.")
    @Nullable
    Boolean useFlatApi;

    // ---- which queues

    @Option(
            names = {"-p", "--trans_mode"},
            paramLabel = "MODE",
            description = "RM (default), RC or UM.")
    @Nullable
    TransportMode transMode;

    @Option(
            names = "--order_type",
            paramLabel = "TYPE",
            description = "DEF (default: the mode's own), OT, OI, OL or NO.")
    @Nullable
    OrderType orderType;

    @Option(
            names = {"-b", "--simplex_mode"},
            description = "Use a JFS and a JFR instead of each Jetty.")
    boolean simplexMode;

    @Option(
            names = {"-J", "--jettys"},
            paramLabel = "COUNT",
            description = "Bandwidth: number of Jetties on each side; default: 1.")
    @Nullable
    Integer jettys;

    @Option(
            names = "--pair_num",
            paramLabel = "COUNT",
            description = "Bandwidth: number of pairs, each with its own JFC and --jettys; default: 1.")
    @Nullable
    Integer pairNum;

    @Option(
            names = {"-j", "--share_jfr"},
            description = "All Jetties of a pair share one JFR.")
    boolean shareJfr;

    @Option(names = "--share_jfs", description = "Bandwidth, with --simplex_mode: all senders of a side share one JFS.")
    boolean shareJfs;

    @Option(
            names = {"-T", "--jfs_depth"},
            paramLabel = "COUNT",
            description = "Maximum operations in flight per Jetty; default: 128 for bandwidth, 16 for latency.")
    @Nullable
    Integer jfsDepth;

    @Option(
            names = {"-R", "--jfr_depth"},
            paramLabel = "COUNT",
            description = "Depth of the receive queue; default: 512 for bandwidth, 64 for latency.")
    @Nullable
    Integer jfrDepth;

    @Option(
            names = {"-C", "--jfc_depth"},
            paramLabel = "COUNT",
            description = "Depth of the JFC; default: as many records as the queues may need.")
    @Nullable
    Integer jfcDepth;

    @Option(
            names = {"-l", "--jfs_post_list"},
            paramLabel = "COUNT",
            description = "Bandwidth: number of operations per post; default: 1.")
    @Nullable
    Integer jfsPostList;

    @Option(
            names = {"-r", "--jfr_post_list"},
            paramLabel = "COUNT",
            description = "Number of receives per post; default: 1.")
    @Nullable
    Integer jfrPostList;

    @Option(
            names = {"-Q", "--cq_mod"},
            paramLabel = "COUNT",
            description = "Bandwidth: signal every N-th operation; default: 64 up to 8 KiB, 1 above.")
    @Nullable
    Integer cqMod;

    @Option(
            names = {"-e", "--use_jfce"},
            description = "Sleep until a record arrives, instead of polling.")
    boolean useJfce;

    @Option(
            names = "--wait_jfc_timeout",
            paramLabel = "MILLIS",
            description = "Maximum length of such a sleep before polling again; default: 10.")
    @Nullable
    Integer waitJfcTimeout;

    @Option(
            names = {"-E", "--err_timeout"},
            paramLabel = "EXPONENT",
            description = "Timeout for a silent peer: 4.096 µs * 2^EXPONENT, 8 to 31; default: 15 s.")
    @Nullable
    Integer errTimeout;

    @Option(
            names = "--enable_err_continue",
            description = "Bandwidth: count failed operations, recover their queue, and continue.")
    boolean enableErrContinue;

    @Option(
            names = {"-K", "--token_policy"},
            paramLabel = "POLICY",
            description = "NONE, PLAIN_TEXT (default), SIGNED or ALL_ENCRYPTED, if the device supports it.")
    @Nullable
    TokenPolicy tokenPolicy;

    @Option(
            names = {"-L", "--lock_free"},
            description = "Use queues without locks; a single thread uses them.")
    boolean lockFree;

    @Option(
            names = "--enable_credit",
            description = "send_bw: the receiver returns credits, so that no message arrives without a posted receive.")
    boolean enableCredit;

    @Option(
            names = "--page_size",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Align payloads of at least a page to this page size; default: 4K.")
    @Nullable
    Long pageSize;

    @Option(names = "--hugepages", description = "Request huge pages; a fallback is reported.")
    boolean hugepages;

    @Option(
            names = "--hugepage_size",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Request huge pages of this size; a fallback is reported.")
    @Nullable
    Long hugepageSize;

    // ---- known elsewhere, and refused with a reason: see Clashes

    @Option(
            names = {"-c", "--jfc_inline"},
            hidden = true)
    boolean jfcInline;

    @Option(
            names = {"-O", "--priority"},
            hidden = true)
    @Nullable
    Integer priority;

    // ---- how fast

    @Option(
            names = "--rate_limit",
            paramLabel = "RATE",
            description =
                    "Maximum rate, in --rate_units. Latency then counts from the scheduled start of an operation.")
    @Nullable
    Double rateLimit;

    @Option(
            names = "--rate_units",
            paramLabel = "UNIT",
            description = "M for MB/s, G for Gb/s (default), P for thousands of operations per second.")
    @Nullable
    RateUnit rateUnits;

    @Option(
            names = "--burst_size",
            paramLabel = "COUNT",
            description = "Operations per burst under --rate_limit; default: --jfs_post_list.")
    @Nullable
    Integer burstSize;

    @Option(
            names = {"-N", "--no_peak"},
            description = "Do not measure the peak bandwidth.")
    boolean noPeak;

    /** The options of a run that the user has given, by their long name. */
    static SequencedMap<String, String> given(ParseResult parsed) {
        SequencedMap<String, String> given = new LinkedHashMap<>();
        for (OptionSpec option : parsed.matchedOptions()) {
            Object value = option.getValue();
            if (value != null && !OWN.contains(option.longestName())) {
                given.put(option.longestName(), value.toString());
            }
        }
        return given;
    }
}
