package io.urma4j.spi.control;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.MemoryShared;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.OpenBounce;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenShared;
import io.urma4j.spi.control.ControlMessage.OpenWindowTable;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The bytes of control messages: one byte of type, then the components of the record in order, little-endian and unpadded.
 * Ids take four bytes, enums one (access its mask, status its number in four), a text its length in two and then UTF-8, a
 * token one byte for its presence and four for its value.
 *
 * <p>{@link Hello} has four bytes of magic after its type, to detect a peer of another protocol. Its first nine bytes and
 * the whole of {@link Refused} are the same in every version, so that ends of different major versions can report the
 * reason (docs/compatibility.md).
 */
public final class ControlCodec {
    /** Version of the protocol. Different major versions are incompatible; minor versions differ only by features. */
    public static final int MAJOR = 1;

    /** Raised with each feature; {@link Compatibility} never compares it. */
    public static final int MINOR = 1;

    /** Supports inspection: {@link Inspect}. */
    public static final long FEATURE_INSPECT = 1;

    /** Supports measuring of its stages: {@link Measure}. */
    public static final long FEATURE_MEASURE = 2;

    /** Supports windows beyond the first 4096 of a context, and beyond the 256th life of a key. */
    public static final long FEATURE_MANY_WINDOWS = 4;

    /** Imports device memory, which its home serves: {@link OpenBounce}. */
    public static final long FEATURE_DEVICE_MEMORY = 8;

    /** Shares device memory with importers that open it, and opens that of homes: {@link OpenShared}. */
    public static final long FEATURE_OPENED_DEVICE_MEMORY = 16;

    /** The features of this version. */
    public static final long FEATURES = FEATURE_INSPECT
            | FEATURE_MEASURE
            | FEATURE_MANY_WINDOWS
            | FEATURE_DEVICE_MEMORY
            | FEATURE_OPENED_DEVICE_MEMORY;

    /** Maximum message size. */
    public static final int MAX_MESSAGE_BYTES = 32 * 1024;

    /** Maximum text size; longer texts are truncated. One fits into a datagram of {@code udma0}. */
    public static final int MAX_TEXT_BYTES = 896;

    /** Maximum list size; longer lists are truncated. So many of the longest texts fit into a message. */
    public static final int MAX_TEXTS = 32;

    static final int MAX_ID = 0xFF_FFFF;

    private static final int MAGIC = 0x414D_5255; // "URMA"

    private static final int HELLO = 1;
    private static final int GOODBYE = 2;
    private static final int REFUSED = 3;
    private static final int DONE = 4;
    private static final int IMPORT_SEGMENT = 16;
    private static final int SEGMENT_GRANTED = 17;
    private static final int UNIMPORT = 18;
    private static final int REVOKE = 19;
    private static final int REVOKED = 20;
    private static final int OPEN_WINDOWS = 21;
    private static final int WINDOWS_OPENED = 22;
    private static final int OPEN_WINDOW_TABLE = 23;
    private static final int OPEN_BOUNCE = 24;
    private static final int OPEN_SHARED = 25;
    private static final int MEMORY_SHARED = 26;
    private static final int IMPORT_QUEUE = 32;
    private static final int QUEUE_GRANTED = 33;
    private static final int OPEN_PATH = 34;
    private static final int PATH_OPENED = 35;
    private static final int BIND = 36;
    private static final int UNBIND = 37;
    private static final int LOOKUP = 48;
    private static final int NAMED = 49;
    private static final int INSPECT = 64;
    private static final int INSPECTED = 65;
    private static final int MEASURE = 66;

    /** A kind's number is its index here. */
    private static final List<JettyDescriptor.Kind> KINDS =
            List.of(JettyDescriptor.Kind.JFR, JettyDescriptor.Kind.JETTY, JettyDescriptor.Kind.GROUP);

    private ControlCodec() {}

    /** The bytes of a message, from position 0 to the limit. */
    public static ByteBuffer encode(ControlMessage message) {
        ControlWriter w = new ControlWriter();
        switch (message) {
            case Hello m ->
                w.u8(HELLO)
                        .i32(MAGIC)
                        .u16(m.major())
                        .u16(m.minor())
                        .i64(m.features())
                        .i64(m.required())
                        .i64(m.eid().high())
                        .i64(m.eid().low())
                        .i32(m.uasid())
                        .i64(m.incarnation())
                        .i64(m.wanted())
                        .text(m.address());
            case Goodbye m -> w.u8(GOODBYE).text(m.reason());
            case Refused m ->
                w.u8(REFUSED).i64(m.request()).i32(m.status().value()).text(m.reason());
            case Done m -> w.u8(DONE).i64(m.request());
            case ImportSegment m ->
                w.u8(IMPORT_SEGMENT)
                        .i64(m.request())
                        .i32(m.tokenId())
                        .i64(m.key())
                        .u8(m.access().mask())
                        .token(m.token());
            case SegmentGranted m ->
                w.u8(SEGMENT_GRANTED)
                        .i64(m.request())
                        .i64(m.grant())
                        .u8(m.access().mask())
                        .i64(m.offset())
                        .i64(m.lengthBytes());
            case Unimport m -> w.u8(UNIMPORT).i64(m.grant());
            case Revoke m -> w.u8(REVOKE).i64(m.grant());
            case Revoked m -> w.u8(REVOKED).i64(m.grant());
            case OpenWindows m -> w.u8(OPEN_WINDOWS).i64(m.request());
            case WindowsOpened m -> w.u8(WINDOWS_OPENED).i64(m.request());
            case OpenWindowTable m -> w.u8(OPEN_WINDOW_TABLE).i64(m.request()).i32(m.table());
            case OpenBounce m -> w.u8(OPEN_BOUNCE).i64(m.request());
            case OpenShared m ->
                w.u8(OPEN_SHARED).i64(m.request()).i64(m.grant()).texts(m.clients());
            case MemoryShared m ->
                w.u8(MEMORY_SHARED)
                        .i64(m.request())
                        .u8(m.access().mask())
                        .text(m.client())
                        .handle(m.handle());
            case ImportQueue m ->
                w.u8(IMPORT_QUEUE)
                        .i64(m.request())
                        .i32(m.queue())
                        .u8(KINDS.indexOf(m.kind()))
                        .token(m.token());
            case QueueGranted m ->
                w.u8(QUEUE_GRANTED)
                        .i64(m.request())
                        .u8(m.mode().value())
                        .u8(m.orderType().value())
                        .i64(m.attributes());
            case OpenPath m -> w.u8(OPEN_PATH).i64(m.request()).i64(m.ringBytes());
            case PathOpened m -> w.u8(PATH_OPENED).i64(m.request());
            case Bind m ->
                w.u8(BIND)
                        .i64(m.request())
                        .i32(m.queue())
                        .i32(m.partner())
                        .u8(m.orderType().value());
            case Unbind m -> w.u8(UNBIND).i64(m.request()).i32(m.queue()).i32(m.partner());
            case Lookup m -> w.u8(LOOKUP).i64(m.request()).text(m.name()).bool(m.withToken());
            case Named m ->
                w.u8(NAMED)
                        .i64(m.request())
                        .i32(m.tokenId())
                        .i64(m.key())
                        .i64(m.lengthBytes())
                        .u8(m.access().mask())
                        .u8(m.policy().value())
                        .token(m.token())
                        .i64(m.vaBase())
                        .texts(m.users());
            case Inspect m -> w.u8(INSPECT).i64(m.request()).u8(m.kind()).i64(m.after());
            case Inspected m ->
                w.u8(INSPECTED).i64(m.request()).texts(m.resources()).bool(m.complete());
            case Measure m -> w.u8(MEASURE).i64(m.request()).bool(m.on());
        }
        return w.finish();
    }

    /**
     * Reads one message that fills {@code bytes} from its position to its limit. Only a {@link Hello} may be longer: it is
     * sent before either end knows the other's version. Of another major version, only the versions are read.
     *
     * @throws ControlFormatException for all other bytes that {@link #encode} does not write
     */
    public static ControlMessage decode(ByteBuffer bytes) throws ControlFormatException {
        ControlReader r = new ControlReader(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
        ControlMessage message = body(r.u8("type"), r);
        if (!(message instanceof Hello)) {
            r.end();
        }
        return message;
    }

    private static ControlMessage body(int type, ControlReader r) throws ControlFormatException {
        return switch (type) {
            case HELLO -> hello(r);
            case GOODBYE -> new Goodbye(r.text("reason"));
            case REFUSED -> new Refused(r.i64("request"), UrmaStatus.of(r.i32("status")), r.text("reason"));
            case DONE -> new Done(r.i64("request"));
            case IMPORT_SEGMENT ->
                new ImportSegment(r.i64("request"), r.id("token id"), r.i64("key"), access(r), r.token());
            case SEGMENT_GRANTED ->
                new SegmentGranted(r.i64("request"), r.i64("grant"), access(r), r.i64("offset"), r.i64("length"));
            case UNIMPORT -> new Unimport(r.i64("grant"));
            case REVOKE -> new Revoke(r.i64("grant"));
            case REVOKED -> new Revoked(r.i64("grant"));
            case OPEN_WINDOWS -> new OpenWindows(r.i64("request"));
            case WINDOWS_OPENED -> new WindowsOpened(r.i64("request"));
            case OPEN_BOUNCE -> new OpenBounce(r.i64("request"));
            case OPEN_SHARED -> new OpenShared(r.i64("request"), r.i64("grant"), r.texts("clients"));
            case MEMORY_SHARED -> new MemoryShared(r.i64("request"), access(r), r.text("client"), r.handle("handle"));
            case OPEN_WINDOW_TABLE -> new OpenWindowTable(r.i64("request"), r.i32("table"));
            case IMPORT_QUEUE -> new ImportQueue(r.i64("request"), r.id("queue"), kind(r), r.token());
            case QUEUE_GRANTED ->
                new QueueGranted(
                        r.i64("request"),
                        r.oneOf("transport mode", r.u8("transport mode"), TransportMode::of),
                        orderType(r),
                        r.i64("attributes"));
            case OPEN_PATH -> new OpenPath(r.i64("request"), r.i64("ring bytes"));
            case PATH_OPENED -> new PathOpened(r.i64("request"));
            case BIND -> new Bind(r.i64("request"), r.id("queue"), r.id("partner"), orderType(r));
            case UNBIND -> new Unbind(r.i64("request"), r.id("queue"), r.id("partner"));
            case LOOKUP -> new Lookup(r.i64("request"), r.text("name"), r.bool("with token"));
            case NAMED -> named(r);
            case INSPECT -> new Inspect(r.i64("request"), r.u8("kind"), r.i64("after"));
            case INSPECTED -> new Inspected(r.i64("request"), r.texts("resources"), r.bool("complete"));
            case MEASURE -> new Measure(r.i64("request"), r.bool("on"));
            default ->
                throw new ControlFormatException(
                        "message type " + type + " is unknown to control protocol " + MAJOR + "." + MINOR);
        };
    }

    private static Hello hello(ControlReader r) throws ControlFormatException {
        int magic = r.i32("magic");
        if (magic != MAGIC) {
            throw new ControlFormatException("magic is 0x" + Integer.toHexString(magic) + ": not urma4j");
        }
        int major = r.u16("major version");
        int minor = r.u16("minor version");
        if (major != MAJOR) {
            return Hello.ofAnotherMajor(major, minor);
        }
        return new Hello(
                major,
                minor,
                r.i64("features"),
                r.i64("required features"),
                new Eid(r.i64("EID"), r.i64("EID")),
                r.id("UASID"),
                r.i64("incarnation"),
                r.i64("wanted incarnation"),
                r.text("address"));
    }

    private static Named named(ControlReader r) throws ControlFormatException {
        long request = r.i64("request");
        int tokenId = r.id("token id");
        long key = r.i64("key");
        long lengthBytes = r.i64("length");
        Access access = access(r);
        TokenPolicy policy = r.oneOf("token policy", r.u8("token policy"), TokenPolicy::of);
        Token token = r.token();
        return new Named(request, tokenId, key, lengthBytes, access, policy, token, r.i64("VA base"), r.texts("users"));
    }

    private static Access access(ControlReader r) throws ControlFormatException {
        return r.oneOf("access", r.u8("access"), Access::ofMask);
    }

    private static OrderType orderType(ControlReader r) throws ControlFormatException {
        return r.oneOf("order type", r.u8("order type"), OrderType::of);
    }

    private static JettyDescriptor.Kind kind(ControlReader r) throws ControlFormatException {
        return r.oneOf("kind", r.u8("kind"), KINDS::get);
    }
}
