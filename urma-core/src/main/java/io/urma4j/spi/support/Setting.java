package io.urma4j.spi.support;

import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Every setting that the library reads, with its default and meaning. {@code docs/settings.md} is made of it. */
public enum Setting {
    DEVICE("", "URMA_DEVICE", "`shm0`, else the first device that works", "the device that `Urma.device()` returns"),
    RUNTIME_DIRECTORY(
            "",
            "URMA_RUNTIME_DIR",
            "`$XDG_RUNTIME_DIR/urma4j`, else `/tmp/urma4j-UID`",
            "the directory of sockets, locks and names; also `UrmaOptions.withRuntimeDirectory`"),
    SHM_HUGE_PAGES(
            "urma.shm.hugepages",
            "`refused`",
            "segments of other processes on huge pages of the machine's pool: `trusted` maps them, although a hole in"
                    + " them can end this process"),
    NPU(
            "urma.npu",
            "none",
            "simulated NPUs, if `urma-npu` is on the path: their number, then `name=value` pairs, as in"
                    + " `2,profile=ascend`; see [peer memory](peer-memory.md#simulated-npus)"),
    CUDA_LIBRARY(
            "urma.cuda.library",
            "`libcuda.so.1`, else where drivers put it",
            "path or name of the CUDA driver's library, if `urma-cuda` is on the path; see [peer"
                    + " memory](peer-memory.md#cuda)"),
    UDMA_ADDRESSES(
            "urma.udma.addresses",
            "the first that is up and reaches other hosts, IPv4 before IPv6; else `127.0.0.1`",
            "comma-separated IP addresses: `udma0` uses the first, `udma1` the next"),
    UDMA_IO(
            "urma.udma.io",
            "`auto`",
            "the I/O backend for packets: `auto`, `gso`, `mmsg` or `channel`; see [udma](udma.md#io-backends)"),
    UDMA_MTU(
            "urma.udma.mtu",
            "`auto`",
            "maximum payload of a packet in bytes: `auto` for what interface and peer allow, or `256`, `512`, …, `32768`,"
                    + " `61440`; see [udma](udma.md#path-mtu)"),
    UDMA_STRANGERS(
            "urma.udma.strangers",
            "`apart`",
            "whether unknown peers have sockets of their own (`apart`) or share the socket of peers (`together`)"),
    UDMA_ECN(
            "urma.udma.ecn",
            "`auto`",
            "whether switches may mark packets: `auto`, `on` or `off`; see [udma](udma.md#congestion-marks-ecn)"),
    UDMA_PREDICTION(
            "urma.udma.prediction",
            "`on`",
            "whether expected packets take a short way through the transport: `on` or `off`; see"
                    + " [transport](transport.md#header-prediction)"),
    UDMA_CAPTURE("urma.udma.capture", "none", "pcap file for all packets that the network devices send and receive"),
    UDMA_CAPTURE_LIMIT("urma.udma.capture.limit", "none", "maximum size of that file, in bytes"),
    UDMA_LOSS(
            "urma.udma.loss",
            "none",
            "for tests: share of packets to drop, optionally with a colon and a seed, as in `0.01:4711`");

    private final String property;
    private final String variable;
    private final String usual;
    private final String meaning;

    Setting(String property, String usual, String meaning) {
        this(property, property.toUpperCase(Locale.ROOT).replace('.', '_'), usual, meaning);
    }

    Setting(String property, String variable, String usual, String meaning) {
        this.property = property;
        this.variable = variable;
        this.usual = usual;
        this.meaning = meaning;
    }

    /** Its name in {@link io.urma4j.UrmaOptions#setting} and among the system properties; empty where it has none. */
    public String property() {
        return property;
    }

    /** Its name in the environment. */
    public String variable() {
        return variable;
    }

    /** The directory where the contexts of a user find each other. */
    public static Path runtimeDirectory(UrmaOptions options, UnaryOperator<String> environment, int uid) {
        if (options.runtimeDirectory().isPresent()) {
            return options.runtimeDirectory().get();
        }
        String own = environment.apply(RUNTIME_DIRECTORY.variable);
        if (own != null && !own.isEmpty()) {
            return Path.of(own);
        }
        String ofUser = environment.apply("XDG_RUNTIME_DIR");
        return ofUser != null && !ofUser.isEmpty() ? Path.of(ofUser, "urma4j") : Path.of("/tmp/urma4j-" + uid);
    }

    /** Its row in the table of the page. */
    String row() {
        String name = Optional.of(property)
                .filter(text -> !text.isEmpty())
                .map(text -> "`" + text + "`")
                .orElse("");
        return "| " + name + " | `" + variable + "` | " + usual + " | " + meaning + " |";
    }
}
