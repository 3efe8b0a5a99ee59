package io.urma4j.udma.driver;

import io.urma4j.ContextOptions;
import io.urma4j.DeviceAttributes;
import io.urma4j.Eid;
import io.urma4j.Opcode;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ContextEvents;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderDevice;
import io.urma4j.spi.support.Setting;
import io.urma4j.udma.command.CardOptions;
import io.urma4j.udma.ring.RnrTimer;
import io.urma4j.udma.udp.Ecn;
import io.urma4j.udma.udp.IoBackend;
import io.urma4j.udma.udp.PacketLoss;
import io.urma4j.udma.udp.PortException;
import io.urma4j.udma.udp.PortOptions;
import io.urma4j.udma.udp.UdpPort;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A software network card at one address. Its port is open, and its thread runs, while there is a context on it. */
final class UdmaDevice implements ProviderDevice {
    static final String PROVIDER = "udma";

    private static final int MESSAGE_LIMIT_BITS = 31;

    private final String name;
    private final UrmaOptions options;
    private final InetAddress address;
    private final Eid eid;
    private final Capture capture;
    private @Nullable Adapter adapter; // these three: guarded by this
    private int contexts;
    private @Nullable DeviceAttributes found;

    UdmaDevice(String name, UrmaOptions options, InetAddress address, Capture capture) {
        this.name = name;
        this.options = options;
        this.address = address;
        this.eid = Eid.of(address);
        this.capture = capture;
    }

    @Override
    public String name() {
        return name;
    }

    private PortOptions portOptions() {
        return PortOptions.of(address)
                .withBackend(setting(Setting.UDMA_IO, IoBackend::parse))
                .withLoss(setting(Setting.UDMA_LOSS, PacketLoss::parse))
                .withStrangersApart(isFirst(Setting.UDMA_STRANGERS, "apart", "together"))
                .withEcn(Objects.requireNonNull(setting(Setting.UDMA_ECN, Ecn::parse)))
                .withMtuLimit(Objects.requireNonNull(setting(Setting.UDMA_MTU, PortOptions::mtuLimit)));
    }

    private CardOptions cardOptions() {
        return CardOptions.DEFAULT.withPrediction(isFirst(Setting.UDMA_PREDICTION, "on", "off"));
    }

    /** Whether a setting of two values has the first, which is the default. */
    private boolean isFirst(Setting setting, String first, String second) {
        String value = setting(setting, text -> {
            if (text != null && !text.equals(first) && !text.equals(second)) {
                throw new IllegalArgumentException("'" + text + "' is neither " + first + " nor " + second);
            }
            return text;
        });
        return !second.equals(value);
    }

    private <T> @Nullable T setting(Setting setting, Function<@Nullable String, @Nullable T> parse) {
        try {
            return parse.apply(options.setting(setting.property()).orElse(null));
        } catch (IllegalArgumentException e) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, "setting " + setting.property(), String.valueOf(e.getMessage()), e);
        }
    }

    /** The state of the port when it was last open; if it never was, it is opened for a moment. */
    @Override
    public synchronized DeviceAttributes attributes() {
        if (adapter != null) {
            return attributesOf(adapter.port(), adapter.watch().objection());
        }
        if (found == null) {
            try (UdpPort port = UdpPort.open(portOptions())) {
                found = attributesOf(port, "");
            } catch (PortException e) {
                return attributes(false, 1024, "its port cannot be opened: " + e.getMessage());
            }
        }
        return found;
    }

    private DeviceAttributes attributesOf(UdpPort port, String objection) {
        StringBuilder path = new StringBuilder(
                "RoCEv2 on port " + port.port() + " of " + address.getHostAddress() + " by " + port.backend());
        String unknownPeers = port.strangersNote().isEmpty()
                ? "unknown peers have sockets of their own"
                : "unknown peers share the socket of peers, and can starve them: " + port.strangersNote();
        String ecn = port.ecnNote().isEmpty() ? "ECN is on" : "ECN is off: " + port.ecnNote();
        String mtu = port.mtuBytes() == port.roceMtuBytes()
                ? ""
                : "path MTU of " + port.mtuBytes() + " between urma4j peers";
        for (String remark : List.of(
                port.reason(), port.portNote(), mtu, unknownPeers, ecn, port.lossNote(), port.trouble(), objection)) {
            if (!remark.isEmpty()) {
                path.append("; ").append(remark);
            }
        }
        return attributes(objection.isEmpty(), port.roceMtuBytes(), path.toString());
    }

    private DeviceAttributes attributes(boolean active, int mtuBytes, String ioPath) {
        long largest = (1L << MESSAGE_LIMIT_BITS) - 1; // S3.3
        return new DeviceAttributes(
                name,
                PROVIDER,
                DeviceAttributes.Capabilities.builder()
                        .modes(EnumSet.allOf(TransportMode.class))
                        .opcodes(EnumSet.allOf(Opcode.class))
                        .tokenPolicies(EnumSet.of(TokenPolicy.NONE, TokenPolicy.PLAIN_TEXT))
                        .immediateBits(64)
                        .tearFreeBytes(8)
                        .oneSided(false) // the card is a thread of the home process
                        .mappable(false)
                        .foreignShareable(true)
                        .sharedTokenIds(true)
                        .windows(true)
                        .deviceMemory(true)
                        .cpuAtomics(true)
                        .build(),
                new DeviceAttributes.Limits(
                        65_536,
                        16_384,
                        32_768,
                        16,
                        208,
                        largest,
                        largest,
                        Long.MAX_VALUE >> 8,
                        4_096,
                        RnrTimer.LONGEST_NANOS / 1_000),
                List.of(new DeviceAttributes.Port(1, active, mtuBytes)),
                ioPath);
    }

    @Override
    public List<Eid> eids() {
        return List.of(eid);
    }

    @Override
    public ProviderContext openContext(int eidIndex, ContextOptions contextOptions, ContextEvents events) {
        Adapter opened = retain();
        try {
            return UdmaContext.open(name, this::release, opened, options, events);
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    private synchronized Adapter retain() {
        if (adapter == null) {
            adapter = Adapter.open(name, eid, portOptions().withCapture(capture.writer()), cardOptions());
        }
        contexts++;
        return adapter;
    }

    /** A context was closed. Not on the engine's thread. */
    private synchronized void release() {
        contexts--;
        if (contexts == 0 && adapter != null) {
            found = attributesOf(adapter.port(), adapter.watch().objection());
            adapter.close();
            adapter = null;
        }
    }

    @Override
    public void close() {
        capture.deviceClosed(); // contexts own everything else
    }

    @Override
    public String toString() {
        return "device " + name;
    }
}
