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
 * Options of a run, which both sides must agree on. They are declared here and read by name: what counts is what was
 * given, see {@link Settings}, which also knows what holds else.
 */
final class RunOptions {
    /** What a side may decide for itself. */
    private static final Set<String> OWN = Set.of(
            "--device",
            "--eid_idx",
            "--server",
            "--port",
            "--local",
            "--child",
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
            description = "Bytes of an operation: 64, 4K. By default 2 for latency, 64K for bandwidth, 8 for atomics.")
    @Nullable
    Long size;

    @Option(
            names = {"-a", "--all"},
            description = "All powers of two from --min_size to --max_size, by default 2 to 8M.")
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
            description = "Operations per size, at least 5; by default as many as take about a second.")
    @Nullable
    Long iters;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            description = "Measure each size so long, in place of --iters.")
    @Nullable
    Integer duration;

    @Option(
            names = {"-y", "--infinite"},
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Bandwidth: go on until Ctrl-C or --duration, with a line each so many seconds (2).")
    @Nullable
    Integer infinite;

    @Option(
            names = {"-w", "--warm_up"},
            paramLabel = "COUNT",
            description =
                    "Untimed operations before each size; by default many before the first, few before others, and in each"
                            + " case until the compiler has no more to do.")
    @Nullable
    Long warmUp;

    @Option(names = "--no-verify", description = "Do not compare what arrived with what was sent.")
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
            description = "Bandwidth: both sides at the same time; the table shows the sum.")
    boolean bidirection;

    @Option(names = "--enable_imm", description = "Writes and sends with an immediate.")
    boolean enableImm;

    @Option(names = "--enable_notify", description = "Writes that store a second value when all bytes are there.")
    boolean enableNotify;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "Payloads of at most so many bytes travel inline; by default none.")
    @Nullable
    Integer inlineSize;

    @Option(names = "--sge_num", paramLabel = "COUNT", description = "Local ranges of an operation; by default 1.")
    @Nullable
    Integer sgeNum;

    @Option(
            names = {"-f", "--use_flat_api"},
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "BOOLEAN",
            description = "Post by single calls, and refuse what has none; with false, post all by lists of work "
                    + "requests. By default a single call where there is one.")
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
            description = "JFS and JFR in place of Jetties.")
    boolean simplexMode;

    @Option(
            names = {"-J", "--jettys"},
            paramLabel = "COUNT",
            description = "Bandwidth: so many Jetties on each side; by default 1.")
    @Nullable
    Integer jettys;

    @Option(
            names = "--pair_num",
            paramLabel = "COUNT",
            description = "Bandwidth: so many pairs of sides, each with its JFC and its --jettys; by default 1.")
    @Nullable
    Integer pairNum;

    @Option(
            names = {"-j", "--share_jfr"},
            description = "All Jetties of a pair receive by one JFR.")
    boolean shareJfr;

    @Option(names = "--share_jfs", description = "Bandwidth, with --simplex_mode: all of a side send by one JFS.")
    boolean shareJfs;

    @Option(
            names = {"-T", "--jfs_depth"},
            paramLabel = "COUNT",
            description = "Most unfinished operations of a Jetty; by default 128 for bandwidth, 16 for latency.")
    @Nullable
    Integer jfsDepth;

    @Option(
            names = {"-R", "--jfr_depth"},
            paramLabel = "COUNT",
            description = "Receives that wait; by default 512 for bandwidth, 64 for latency.")
    @Nullable
    Integer jfrDepth;

    @Option(
            names = {"-C", "--jfc_depth"},
            paramLabel = "COUNT",
            description = "Records that wait; by default what the queues may need.")
    @Nullable
    Integer jfcDepth;

    @Option(
            names = {"-l", "--jfs_post_list"},
            paramLabel = "COUNT",
            description = "Bandwidth: post so many at a time; by default 1.")
    @Nullable
    Integer jfsPostList;

    @Option(
            names = {"-r", "--jfr_post_list"},
            paramLabel = "COUNT",
            description = "Hand in so many receives at a time; by default 1.")
    @Nullable
    Integer jfrPostList;

    @Option(
            names = {"-Q", "--cq_mod"},
            paramLabel = "COUNT",
            description = "Bandwidth: each so-many-th operation makes a record; by default 64 up to 8 KiB, 1 beyond.")
    @Nullable
    Integer cqMod;

    @Option(
            names = {"-e", "--use_jfce"},
            description = "Sleep until there is a record, in place of polling.")
    boolean useJfce;

    @Option(
            names = "--wait_jfc_timeout",
            paramLabel = "MILLIS",
            description = "How long such a sleep lasts at most before it looks up; by default 10.")
    @Nullable
    Integer waitJfcTimeout;

    @Option(
            names = {"-E", "--err_timeout"},
            paramLabel = "EXPONENT",
            description = "A silent peer fails an operation after 4.096 µs * 2^EXPONENT, 8 to 31; by default 15 s.")
    @Nullable
    Integer errTimeout;

    @Option(
            names = "--enable_err_continue",
            description = "Bandwidth: count operations that fail, bring their queue back, and go on.")
    boolean enableErrContinue;

    @Option(
            names = {"-K", "--token_policy"},
            paramLabel = "POLICY",
            description = "NONE, PLAIN_TEXT (default), SIGNED or ALL_ENCRYPTED, as the device offers.")
    @Nullable
    TokenPolicy tokenPolicy;

    @Option(
            names = {"-L", "--lock_free"},
            description = "Queues without locks, since one thread uses them.")
    boolean lockFree;

    @Option(
            names = "--enable_credit",
            description = "send_bw: the receiver tells what it has taken, so that it is never found without a receive.")
    boolean enableCredit;

    @Option(
            names = "--page_size",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Payloads of a page and more begin at multiples of it; by default 4K.")
    @Nullable
    Long pageSize;

    @Option(names = "--hugepages", description = "Ask for huge pages; what is given instead is told.")
    boolean hugepages;

    @Option(
            names = "--hugepage_size",
            paramLabel = "BYTES",
            converter = SizeConverter.class,
            description = "Ask for huge pages of this size; what is given instead is told.")
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
            description = "At most so much, in --rate_units. Latency then counts from when an operation was meant to "
                    + "begin.")
    @Nullable
    Double rateLimit;

    @Option(
            names = "--rate_units",
            paramLabel = "UNIT",
            description = "M for MB/s, G for Gb/s (default), P for thousands of operations a second.")
    @Nullable
    RateUnit rateUnits;

    @Option(
            names = "--burst_size",
            paramLabel = "COUNT",
            description = "Operations at a time under --rate_limit; by default those of --jfs_post_list.")
    @Nullable
    Integer burstSize;

    @Option(
            names = {"-N", "--no_peak"},
            description = "Do not look for the peak of the bandwidth.")
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
