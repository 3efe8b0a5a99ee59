package io.urma4j.tools.perftest;

import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.perftest.Workload.Kind;
import java.time.Duration;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a run: the options that were given, by name, and the defaults of others. Both sides compute the same
 * values from the same options. Immutable.
 */
final class Settings {
    /** The name of the test among the options. */
    static final String TEST = "TEST";

    /** Whose payloads are in memory of a device; the value is its name. */
    static final String CLIENT_MEMORY = "CLIENT_MEMORY";

    static final String SERVER_MEMORY = "SERVER_MEMORY";

    static final long MAX_SIZE_BYTES = 8L << 20;

    private static final long COARSE_BYTES = 8192; // longer ones are signalled one by one
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(15);

    private final SortedMap<String, String> given;

    /** @param given options by their long name, as in {@code --jfs_depth}, and {@link #TEST} */
    Settings(SequencedMap<String, String> given) {
        this.given = new TreeMap<>(given);
    }

    /** The options that were given. */
    SortedMap<String, String> given() {
        return given;
    }

    boolean isGiven(String option) {
        return given.containsKey(option);
    }

    // ---- operations

    Workload workload() {
        String word = text(TEST, "");
        return Workload.of(word)
                .orElseThrow(() -> new CommandFailure("'" + word + "' is none of the tests " + Workload.words()));
    }

    private Kind kind() {
        return workload().kind();
    }

    boolean isLatency() {
        return workload().isLatency();
    }

    boolean isAll() {
        return flag("--all");
    }

    long sizeBytes() {
        long usual = kind() == Kind.ATOMIC ? 8 : isLatency() ? 2 : 65536;
        return number("--size", mode() == TransportMode.UM ? Math.min(usual, 1024) : usual);
    }

    long minSizeBytes() {
        return number("--min_size", kind() == Kind.ATOMIC ? 4 : 2);
    }

    long maxSizeBytes() {
        long usual = kind() == Kind.ATOMIC ? 8 : mode() == TransportMode.UM ? 1024 : MAX_SIZE_BYTES;
        return number("--max_size", usual);
    }

    /** The smallest size; for {@code --all} each further one is the double. */
    long firstSizeBytes() {
        return isAll() ? minSizeBytes() : sizeBytes();
    }

    long lastSizeBytes() {
        return isAll() ? maxSizeBytes() : sizeBytes();
    }

    /** How many operations are timed; ignored when a {@link #duration} is given. */
    long iterations(long sizeBytes) {
        return number("--iters", isLatency() ? usualTurns(sizeBytes) : within(200, (2L << 30) / sizeBytes, 1_000_000));
    }

    private static long usualTurns(long sizeBytes) {
        return within(500, (256L << 20) / sizeBytes, 20_000);
    }

    /** How many untimed operations come first: many while the code is cold, so that all is compiled, else few. */
    long warmUpIterations(long sizeBytes, boolean cold) {
        return number(
                "--warm_up",
                cold ? within(100, (256L << 20) / sizeBytes, 20_000) : within(10, iterations(sizeBytes) / 20, 1000));
    }

    private static long within(long least, long value, long most) {
        return Math.clamp(value, least, most);
    }

    /** How long each size is measured, instead of a count; null when the count decides. */
    @Nullable
    Duration duration() {
        return isGiven("--duration") ? Duration.ofSeconds(number("--duration", 0)) : null;
    }

    /** The interval of lines, until Ctrl-C or the end of the duration; null without such lines. */
    @Nullable
    Duration period() {
        return isGiven("--infinite") ? Duration.ofSeconds(number("--infinite", 0)) : null;
    }

    boolean isBidirectional() {
        return flag("--bidirection");
    }

    boolean isCompareAndSwap() {
        return text("--atomic_type", "cas").equals("cas");
    }

    boolean hasImmediate() {
        return flag("--enable_imm");
    }

    boolean hasNotify() {
        return flag("--enable_notify");
    }

    boolean isVerified() {
        return !flag("--no-verify");
    }

    boolean hasPeak() {
        return !flag("--no_peak") && duration() == null && period() == null;
    }

    // ---- queues

    TransportMode mode() {
        return TransportMode.valueOf(text("--trans_mode", "RM"));
    }

    OrderType orderType() {
        return OrderType.valueOf(text("--order_type", "DEF"));
    }

    TokenPolicy tokenPolicy() {
        return TokenPolicy.valueOf(text("--token_policy", "PLAIN_TEXT"));
    }

    boolean isSimplex() {
        return flag("--simplex_mode");
    }

    int jetties() {
        return (int) number("--jettys", 1);
    }

    boolean sharesJfr() {
        return flag("--share_jfr");
    }

    /** The number of pairs, each with its own JFC and Jetties. */
    int pairs() {
        return (int) number("--pair_num", 1);
    }

    /** The number of Jetties of all pairs. */
    int lanes() {
        return pairs() * jetties();
    }

    /** Whether all lanes send by one JFS. */
    boolean sharesJfs() {
        return flag("--share_jfs");
    }

    /** Whether receive work requests are consumed. */
    boolean receives() {
        return kind() == Kind.SEND || (kind() == Kind.WRITE && hasImmediate());
    }

    int jfsDepth() {
        return (int) number("--jfs_depth", isLatency() ? 16 : 128);
    }

    int jfrDepth() {
        return (int) number("--jfr_depth", !receives() ? 1 : isLatency() ? 64 : 512);
    }

    int jfrCount() {
        return pairs() * jfrsOfAPair();
    }

    private int jfrsOfAPair() {
        return sharesJfr() ? 1 : jetties();
    }

    /** Work requests of a lane that may be unfinished, including those that return credit. */
    int laneDepth() {
        return jfsDepth() + (hasCredit() ? 1 : 0);
    }

    /** The largest number of unpolled records in the completion queue of a pair. */
    long leastJfcDepth() {
        long lanes = sharesJfs() ? lanes() : jetties(); // a shared JFS has the JFC of the first pair
        return lanes * laneDepth() + (long) jfrsOfAPair() * jfrDepth();
    }

    /** The same with depths rounded up to powers of two, as devices do, so that no warning is needed. */
    private long usualJfcDepth() {
        long sends = sharesJfs() ? powerOfTwo((long) lanes() * laneDepth()) : jetties() * powerOfTwo(laneDepth());
        return sends + jfrsOfAPair() * powerOfTwo(jfrDepth());
    }

    private static long powerOfTwo(long least) {
        return Long.highestOneBit(2 * least - 1);
    }

    long jfcDepth() {
        return number("--jfc_depth", usualJfcDepth());
    }

    int jfsPostList() {
        return (int) number("--jfs_post_list", 1);
    }

    int jfrPostList() {
        return (int) number("--jfr_post_list", 1);
    }

    /** The interval of signalled work requests. */
    int signalEvery(long sizeBytes) {
        long usual = isLatency() || sizeBytes > COARSE_BYTES ? 1 : within(1, jfsDepth() / 2, 64);
        return (int) number("--cq_mod", usual);
    }

    /** Whether work requests are posted as lists even where a single call is enough. */
    boolean postsListsOnly() {
        return text("--use_flat_api", "true").equals("false");
    }

    /** Whether only single calls may be used. */
    boolean postsSinglyOnly() {
        return flag("--use_flat_api");
    }

    /** The longest payload that is posted inline. */
    long inlineBytes() {
        return number("--inline_size", 0);
    }

    int sges() {
        return (int) number("--sge_num", 1);
    }

    boolean usesEvents() {
        return flag("--use_jfce");
    }

    Duration eventTimeout() {
        return Duration.ofMillis(number("--wait_jfc_timeout", 10));
    }

    /** URMA's formula: 4.096 µs times two to the power of the option. */
    Duration errTimeout() {
        return isGiven("--err_timeout") ? Duration.ofNanos(4096L << number("--err_timeout", 0)) : USUAL_TIMEOUT;
    }

    /** Whether the run continues after failed operations. */
    boolean continuesAfterErrors() {
        return flag("--enable_err_continue");
    }

    boolean isLockFree() {
        return flag("--lock_free");
    }

    boolean hasCredit() {
        return flag("--enable_credit");
    }

    /** The alignment of payloads of at least that length. */
    long pageBytes() {
        return number("--page_size", 4096);
    }

    boolean hasHugePages() {
        return flag("--hugepages") || hugePageBytes() > 0;
    }

    /** The requested size of huge pages; 0 when any page size is accepted. */
    long hugePageBytes() {
        return number("--hugepage_size", 0);
    }

    /** Whether payloads of one side at least are in memory of a device. */
    boolean usesDeviceMemory() {
        return isGiven(CLIENT_MEMORY) || isGiven(SERVER_MEMORY);
    }

    /** Where payloads and counters of both sides are. */
    String memory() {
        return text(CLIENT_MEMORY, "host") + " at the client, " + text(SERVER_MEMORY, "host") + " at the server";
    }

    // ---- rate

    boolean hasRate() {
        return isGiven("--rate_limit");
    }

    /** Operations per second, if {@link #hasRate}. */
    double rate(long sizeBytes) {
        double limit = Double.parseDouble(text("--rate_limit", "0"));
        return switch (text("--rate_units", "G")) {
            case "M" -> limit * 1e6 / sizeBytes;
            case "G" -> limit * 1e9 / 8 / sizeBytes;
            default -> limit * 1e3;
        };
    }

    int burst() {
        return (int) number("--burst_size", isLatency() ? 1 : jfsPostList());
    }

    // ---- reading

    private boolean flag(String option) {
        return text(option, "false").equals("true");
    }

    private String text(String option, String usual) {
        return given.getOrDefault(option, usual);
    }

    long number(String option, long usual) {
        String text = given.get(option);
        try {
            return text == null ? usual : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new CommandFailure(option + " is '" + text.toLowerCase(Locale.ROOT) + "', which is no number", e);
        }
    }

    @Override
    public String toString() {
        return given.toString();
    }
}
