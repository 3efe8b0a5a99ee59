package io.urma4j.tck;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.MessageChannel;
import io.urma4j.PeerId;
import io.urma4j.PublishedName;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaOptions;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.peer.DeviceMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A home in this process. */
final class LocalHome implements Home {
    private final Urma urma;
    private final Supplier<UrmaContext> contexts;
    private final Consumer<UrmaContext> ending;
    private UrmaContext context;

    private LocalHome(Urma urma, Supplier<UrmaContext> contexts, Consumer<UrmaContext> ending) {
        this.urma = urma;
        this.contexts = contexts;
        this.ending = ending;
        this.context = contexts.get();
    }

    /** A home within a given context; closing the home leaves the context open. */
    static LocalHome within(Urma urma, UrmaContext context) {
        return new LocalHome(urma, () -> context, shared -> {});
    }

    /** A home with its own context on {@code device}; the caller closes the library. */
    static LocalHome on(Urma urma, UrmaDevice device) {
        return new LocalHome(urma, device::openContext, UrmaContext::close);
    }

    /** A home with a library of its own. */
    static LocalHome opening(UrmaOptions options, String device) {
        Urma urma = Urma.open(options);
        try {
            return new LocalHome(urma, () -> urma.device(device).openContext(), context -> urma.close());
        } catch (RuntimeException e) {
            urma.close();
            throw e;
        }
    }

    @Override
    public HomeSegment segment(long lengthBytes, Access access, TokenPolicy policy, Token token) {
        return segment(lengthBytes, SegmentConfig.of(access).withPolicy(policy).withToken(token));
    }

    @Override
    public HomeSegment windowsOnlySegment(long lengthBytes, Access access) {
        return segment(lengthBytes, SegmentConfig.of(access).withWindowsOnly());
    }

    @Override
    public HomeDeviceSegment deviceSegment(long lengthBytes, Access access) {
        return deviceSegment(lengthBytes, SegmentConfig.of(access));
    }

    @Override
    public HomeDeviceSegment windowsOnlyDeviceSegment(long lengthBytes, Access access) {
        return deviceSegment(lengthBytes, SegmentConfig.of(access).withWindowsOnly());
    }

    private HomeDeviceSegment deviceSegment(long lengthBytes, SegmentConfig config) {
        DeviceMemory memory = DevicesUnderTest.allocate(urma, lengthBytes);
        try {
            memory.fill(0, memory.lengthBytes(), (byte) 0);
            return new LocalHomeDeviceSegment(memory, context.register(memory, config));
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    @Override
    public PeerId peerId() {
        return context.peerId();
    }

    @Override
    public String peerLine() {
        return Peer.of(context).toText();
    }

    @Override
    public HomeRemoteBuf remoteBuf(String line) {
        return new LocalHomeRemoteBuf(context, RemoteBuf.parse(line));
    }

    private HomeSegment segment(long lengthBytes, SegmentConfig config) {
        var memory = context.allocate(lengthBytes);
        try {
            return new LocalHomeSegment(memory, context.register(memory, config));
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    @Override
    public HomeQueue receiver(JfrConfig config, int jfcDepth) {
        var jfc = context.createJfc(JfcConfig.DEFAULT.withDepth(jfcDepth));
        return new LocalHomeQueue(context, jfc, context.createJfr(jfc, config), null, null);
    }

    @Override
    public HomeQueue jetty(JfsConfig send, JfrConfig receive) {
        var jfc = context.createJfc(JfcConfig.DEFAULT);
        return jetty(send, new LocalHomeQueue(context, jfc, context.createJfr(jfc, receive), null, null));
    }

    @Override
    public HomeQueue jettySharing(HomeQueue other, JfsConfig send) {
        return jetty(send, (LocalHomeQueue) other);
    }

    @Override
    public HomeQueue jettySharing(HomeQueue other, JfsConfig send, int jfcDepth) {
        var jfr = ((LocalHomeQueue) other).jfr();
        var sendJfc = context.createJfc(JfcConfig.DEFAULT);
        var receiveJfc = context.createJfc(JfcConfig.DEFAULT.withDepth(jfcDepth));
        var jetty = context.createJetty(sendJfc, jfr, send, receiveJfc);
        return new LocalHomeQueue(context, receiveJfc, jfr, jetty, sendJfc);
    }

    @Override
    public HomeGroup group(JettyGroupConfig config) {
        return new LocalHomeGroup(context.createJettyGroup(config));
    }

    private LocalHomeQueue jetty(JfsConfig send, LocalHomeQueue receive) {
        var sendJfc = context.createJfc(JfcConfig.DEFAULT);
        var jetty = context.createJetty(sendJfc, receive.jfr(), send);
        return new LocalHomeQueue(context, receive.jfc(), receive.jfr(), jetty, sendJfc);
    }

    @Override
    public HomeImport importSegment(SharedSegment shared) {
        return new LocalHomeImport(context, context.importSegment(shared));
    }

    @Override
    public HomeRegion region(String name, Token token) {
        return new LocalHomeRegion(context.createRegion(name, token));
    }

    @Override
    public HomeChannel messageChannel(MessageChannel.Options options) {
        return new LocalHomeChannel(context.openMessageChannel(options));
    }

    @Override
    public HomePipeReader pipe(int capacityBytes) {
        return new LocalHomePipeReader(context.openPipe(capacityBytes));
    }

    @Override
    public HomePipeWriter pipeTo(String line) {
        return new LocalHomePipeWriter(context.openPipeTo(line));
    }

    @Override
    public AsyncEvent awaitEvent(AsyncEvent.Type type) {
        var found = new AtomicReference<@Nullable AsyncEvent>();
        Patience.await("event " + type + " at " + context, () -> {
            for (var event = context.events().poll();
                    event.isPresent();
                    event = context.events().poll()) {
                if (event.get().type() == type) {
                    found.set(event.get());
                    return true;
                }
            }
            return false;
        });
        return Objects.requireNonNull(found.get());
    }

    @Override
    public List<String> eventsWithin(AsyncEvent.Type type, Duration time) {
        List<String> objects = new ArrayList<>();
        Patience.until(time, () -> {
            for (var event = context.events().poll();
                    event.isPresent();
                    event = context.events().poll()) {
                if (event.get().type() == type) {
                    objects.add(event.get().object());
                }
            }
            return false;
        });
        return objects;
    }

    @Override
    public List<String> publishedNames() {
        return context.publishedNames().stream().map(PublishedName::name).toList();
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public void reopen() {
        context.close();
        context = contexts.get();
    }

    @Override
    public void close() {
        ending.accept(context);
    }

    @Override
    public String toString() {
        return "home " + context;
    }
}
