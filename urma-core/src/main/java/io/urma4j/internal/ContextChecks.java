package io.urma4j.internal;

import io.urma4j.Access;
import io.urma4j.ContextObject;
import io.urma4j.DeviceAttributes;
import io.urma4j.DeviceAttributes.Capabilities;
import io.urma4j.DeviceAttributes.Limits;
import io.urma4j.ErrorScope;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.OrderType;
import io.urma4j.SegmentConfig;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a context is asked for against the limits and capabilities of its device. Each check also
 * refuses once the context is closed. Safe for any thread.
 */
public final class ContextChecks {
    private final UrmaContext context;
    private final String device;
    private final Capabilities capabilities;
    private final Limits limits;
    private final ContextLife life;

    /** The refusals name {@code context}. */
    public ContextChecks(UrmaContext context, DeviceAttributes attributes, ContextLife life) {
        this.context = context;
        this.device = attributes.name();
        this.capabilities = attributes.capabilities();
        this.limits = attributes.limits();
        this.life = life;
    }

    /** Memory of that length can be made and registered. */
    public void memory(String what, long lengthBytes) {
        life.checkOpen();
        Checks.inRange(context, what, lengthBytes, 1, limits.segmentBytes());
    }

    /** Memory of the caller's can be registered so. */
    public void foreignMemory(MemorySegment memory, SegmentConfig config) {
        Access access = config.access();
        if (!memory.isNative()) {
            throw Checks.invalid(
                    context,
                    "the memory is on the Java heap, where the garbage collector moves it; use allocate(), or an Arena");
        }
        memory("length of the memory", memory.byteSize());
        if (access != Access.LOCAL_ONLY && !capabilities.foreignShareable()) {
            throw Checks.invalid(
                    context,
                    "access " + access + " is not possible for memory that " + device
                            + " did not allocate; use allocate() for memory that peers can import");
        }
        if (config.isolated()) {
            throw Checks.invalid(
                    context,
                    "an isolated segment shares its memory with no other, which is unknown of memory that " + device
                            + " did not allocate; use allocate()");
        }
        atomics(memory.address(), access);
    }

    /** Memory that peers may use for atomics begins at a multiple of 8: its home refuses others, after the post. */
    public void atomics(long address, Access access) {
        if (access == Access.READ_WRITE_ATOMIC && (address & 7) != 0) {
            throw Checks.invalid(
                    context,
                    "memory at 0x" + Long.toHexString(address) + " cannot be registered as " + access
                            + ": its address is not a multiple of 8");
        }
    }

    /** Memory of a GPU or NPU can be registered so. */
    public void deviceMemory() {
        if (!capabilities.deviceMemory()) {
            throw Checks.invalid(
                    context,
                    "device " + device + " cannot reach memory of GPUs and NPUs; copy it to host memory first");
        }
    }

    /** The device has that policy. */
    public void policy(TokenPolicy policy) {
        life.checkOpen();
        if (!capabilities.tokenPolicies().contains(policy)) {
            throw Checks.invalid(context, "token policy " + policy + " is not one of " + capabilities.tokenPolicies());
        }
    }

    /** Memory, whose device need not be this one, can be registered so. */
    public void registration(SegmentConfig config) {
        policy(config.policy());
        mine(config.tokenId());
        if (config.windowsOnly()) {
            windowsOnly(config);
        }
    }

    private void windowsOnly(SegmentConfig config) {
        if (!capabilities.windows()) {
            throw Checks.invalid(context, "device " + device + " has no windows, and so no windows-only segments");
        }
        if (config.access() == Access.LOCAL_ONLY || config.isolated()) {
            throw Checks.invalid(
                    context,
                    "a windows-only segment has windows, which need remote access and exclude isolation; access is "
                            + config.access() + ", isolated " + config.isolated());
        }
        if (config.policy() != TokenPolicy.NONE) {
            throw Checks.invalid(
                    context, "a windows-only segment has no token: its policy must be NONE, not " + config.policy());
        }
    }

    /** A segment of that descriptor can be imported with that access. */
    public void segmentImport(SegmentDescriptor descriptor, @Nullable Token token, Access access) {
        life.checkOpen();
        if (descriptor.access() == Access.LOCAL_ONLY || access == Access.LOCAL_ONLY) {
            throw Checks.invalid(context, "a LOCAL_ONLY segment cannot be imported");
        }
        if (descriptor.policy() != TokenPolicy.NONE && token == null) {
            throw Checks.invalid(context, "the segment's policy is " + descriptor.policy() + ", but token is null");
        }
        if (!descriptor.access().covers(access)) {
            throw Checks.noPermission(
                    context, "access " + access + " is more than the segment's " + descriptor.access());
        }
    }

    /** A queue of that descriptor can be imported. */
    public void queueImport(JettyDescriptor descriptor, @Nullable Token token) {
        life.checkOpen();
        if (descriptor.policy() != TokenPolicy.NONE && token == null) {
            throw Checks.invalid(context, "the Jetty's policy is " + descriptor.policy() + ", but token is null");
        }
    }

    /** A completion queue can be made. */
    public void jfc(JfcConfig config) {
        life.checkOpen();
        Checks.inRange(context, "depth of the JFC", config.depth(), 1, limits.jfcDepth());
        Checks.inRange(context, "moderationCount", config.moderationCount(), 1, config.depth());
        boolean endless = config.moderationPeriod().isNegative()
                || (config.moderationCount() > 1 && config.moderationPeriod().isZero());
        if (endless) {
            throw Checks.invalid(
                    context,
                    "moderationPeriod is " + config.moderationPeriod() + ": an event could wait forever for "
                            + config.moderationCount() + " records");
        }
    }

    /** A receive queue can be made. */
    public void jfr(JfrConfig config) {
        mode(config.mode(), config.orderType());
        Checks.inRange(context, "id", config.id(), 0, JettyId.MAX);
        Checks.inRange(context, "depth of the JFR", config.depth(), 1, limits.jfrDepth());
        Checks.inRange(context, "maxSges", config.maxSges(), 1, limits.sges());
        if (config.minRnrTimer().isNegative()) {
            throw Checks.invalid(context, "minRnrTimer is " + config.minRnrTimer() + ", must not be negative");
        }
        if (config.minRnrTimer().toNanos() > limits.rnrTimerMicros() * 1_000) { // if cut, senders retransmit too early
            throw Checks.invalid(
                    context,
                    "minRnrTimer " + config.minRnrTimer() + " is longer than " + limits.rnrTimerMicros()
                            + " µs, the longest wait that " + device + " can ask for");
        }
        Checks.inRange(context, "rxThreshold", config.rxThreshold(), 0, config.depth());
        policy(config.policy());
    }

    /** A send queue, or the send half of a Jetty, can be made. */
    public void jfs(JfsConfig config) {
        mode(config.mode(), config.orderType());
        Checks.inRange(context, "id", config.id(), 0, JettyId.MAX);
        Checks.inRange(context, "depth of the JFS", config.depth(), 1, limits.jfsDepth());
        Checks.inRange(context, "maxSges", config.maxSges(), 1, limits.sges());
        Checks.inRange(context, "maxInlineBytes", config.maxInlineBytes(), 0, limits.inlineBytes());
        Checks.inRange(context, "rnrRetry", config.rnrRetry(), 0, 7);
        Checks.inRange(context, "priority", config.priority(), 0, JfsConfig.MAX_PRIORITY);
        Checks.positive(context, "timeout", config.timeout());
        Checks.inRange(context, "signalEvery", config.signalEvery(), 0, config.depth());
        errorScope(config);
    }

    /** A send queue without a receive half can be made. */
    public void separateJfs(JfsConfig config) {
        jfs(config);
        if (config.mode() == TransportMode.RC) {
            throw Checks.invalid(context, "mode RC supports only Jetties; use createJetty");
        }
    }

    /** The objects belong to the context; null stands for none. */
    public void mine(@Nullable ContextObject... objects) {
        for (ContextObject object : objects) {
            if (object != null) {
                Checks.belongs(context, object, context);
            }
        }
    }

    private void errorScope(JfsConfig config) {
        if (config.errorScope() == ErrorScope.TARGET && config.mode() != TransportMode.RM) {
            throw Checks.invalid(context, "errorScope TARGET exists only in mode RM, not in " + config.mode());
        }
        if (config.errorScope() == ErrorScope.TARGET && config.errorSuspend()) {
            throw Checks.invalid(context, "errorSuspend and errorScope TARGET exclude each other");
        }
    }

    /** A Jetty group can be made. */
    public void group(JettyGroupConfig config) {
        mode(TransportMode.RM, OrderType.DEF);
        Checks.inRange(context, "id", config.id(), 0, JettyId.MAX);
        policy(config.policy());
    }

    private void mode(TransportMode mode, OrderType orderType) {
        life.checkOpen();
        if (!capabilities.modes().contains(mode)) {
            throw Checks.invalid(context, "mode " + mode + " is not one of " + capabilities.modes());
        }
        if (!orderType.isLegalFor(mode)) {
            throw Checks.invalid(context, "order type " + orderType + " does not exist in mode " + mode);
        }
    }
}
