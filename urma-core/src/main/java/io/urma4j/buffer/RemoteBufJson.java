package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.DescriptorException;
import io.urma4j.SegmentDescriptor;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.WindowKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The JSON form of a {@link RemoteBuf}: one object in the spelling of {@link #write}, for tools and other languages.
 *
 * <pre>
 * {"v":"1.0","type":"remote-buf","eid":"2001:db8::1","uasid":7,"epoch":"0x2a","addr":"0x7f0000001000","length":"0x10000",
 *  "access":["read","write"],"mem":"host","offset":"0x0",
 *  "keys":[{"dev":0,"user":0,"segment":"urma4j:segment:1:…","window":"urma4j:window:1:…"}],"crc":"0x794759d6"}
 * </pre>
 *
 * <p>Numbers of 64 bits are texts with lower-case hexadecimal digits. Numbers are accepted in their place, up to 2^53 - 1. The
 * members before {@code offset} repeat for people what the keys say; a reader compares them. {@code crc} is the checksum of the
 * binary form. Unknown members are ignored, unless {@code crit} names them.
 */
final class RemoteBufJson {
    private static final Set<String> KNOWN = Set.of(
            "v", "type", "eid", "uasid", "epoch", "addr", "length", "access", "mem", "offset", "keys", "crc", "crit");

    private RemoteBufJson() {}

    /** @param crc of the binary form */
    static String write(RemoteBuf buf, int crc) {
        StringBuilder json = new StringBuilder(768);
        SegmentDescriptor home = buf.windows().getFirst().segment();
        json.append("{\"v\":\"1.0\",\"type\":\"remote-buf\",\"eid\":\"").append(home.eid());
        json.append("\",\"uasid\":").append(home.uasid());
        json.append(",\"epoch\":\"").append(hex(home.incarnation()));
        json.append("\",\"addr\":\"").append(hex(buf.address()));
        json.append("\",\"length\":\"").append(hex(buf.size()));
        json.append("\",\"access\":[\"")
                .append(String.join("\",\"", words(buf.access())))
                .append("\"]");
        json.append(",\"mem\":\"").append(word(home.capabilities().memory()));
        json.append("\",\"offset\":\"").append(hex(buf.offset())).append("\",\"keys\":[");
        String separator = "";
        for (RemoteBuf.Window window : buf.windows()) {
            json.append(separator).append("{\"dev\":").append(window.device());
            json.append(",\"user\":").append(window.user());
            json.append(",\"segment\":\"").append(window.segment().toText());
            json.append("\",\"window\":\"").append(window.key().toText()).append("\"}");
            separator = ",";
        }
        return json.append("],\"crc\":\"")
                .append(hex(Integer.toUnsignedLong(crc)))
                .append("\"}")
                .toString();
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    private static List<String> words(Access access) {
        return switch (access) {
            case LOCAL_ONLY -> List.of();
            case READ -> List.of("read");
            case READ_WRITE -> List.of("read", "write");
            case READ_WRITE_ATOMIC -> List.of("read", "write", "atomic");
        };
    }

    private static String word(MemoryKind kind) {
        return switch (kind) {
            case HOST -> "host";
            case DEVICE -> "device";
        };
    }

    /** @param checksum of the binary form */
    static RemoteBuf read(String json, ToIntFunction<RemoteBuf> checksum) {
        Map<String, Object> members = StrictJson.read(json);
        checkCritical(members);
        compare(members, "v", "1.0");
        compare(members, "type", "remote-buf");
        RemoteBuf buf = whole(members).subrange(number(members, "offset"), number(members, "length"));
        if (!buf.isValid()) {
            throw new DescriptorException("members 'offset' and 'length' lie outside the windows");
        }
        checkRepeated(members, buf);
        if (number(members, "crc") != Integer.toUnsignedLong(checksum.applyAsInt(buf))) {
            throw new DescriptorException("member 'crc' is not the checksum: the values were changed");
        }
        return buf;
    }

    private static void checkCritical(Map<String, Object> members) {
        Object names = members.getOrDefault("crit", List.of());
        for (Object name : listOf("crit", names)) {
            if (!(name instanceof String known && KNOWN.contains(known))) {
                throw new DescriptorException("member 'crit' names a member that is unknown to this version");
            }
        }
    }

    private static RemoteBuf whole(Map<String, Object> members) {
        List<RemoteBuf.Window> windows = new ArrayList<>();
        for (Object element : listOf("keys", members.get("keys"))) {
            if (!(element instanceof Map<?, ?> key)) {
                throw wrong("keys");
            }
            windows.add(new RemoteBuf.Window(
                    place(key, "dev"),
                    place(key, "user"),
                    SegmentDescriptor.parse(text(key, "segment")),
                    WindowKey.parse(text(key, "window"))));
        }
        return RemoteBuf.of(windows);
    }

    /** What the keys say as well. */
    private static void checkRepeated(Map<String, Object> members, RemoteBuf buf) {
        SegmentDescriptor home = buf.windows().getFirst().segment();
        compare(members, "eid", home.eid().toString());
        compare(members, "uasid", (long) home.uasid());
        compare(members, "epoch", home.incarnation());
        compare(members, "addr", buf.address());
        compare(members, "mem", word(home.capabilities().memory()));
        List<?> access = listOf("access", members.get("access"));
        if (access.size() != words(buf.access()).size()
                || !new HashSet<>(access).equals(Set.copyOf(words(buf.access())))) {
            throw wrong("access");
        }
    }

    private static void compare(Map<String, Object> members, String name, String expected) {
        if (!expected.equals(members.get(name))) {
            throw wrong(name);
        }
    }

    private static void compare(Map<String, Object> members, String name, long expected) {
        if (number(members, name) != expected) {
            throw wrong(name);
        }
    }

    private static long number(Map<?, ?> members, String name) {
        Object value = members.get(name);
        if (value instanceof Long number) {
            return number;
        }
        if (!(value instanceof String text) || !text.matches("0x(0|[1-9a-f][0-9a-f]{0,15})")) {
            throw wrong(name);
        }
        return Long.parseUnsignedLong(text, 2, text.length(), 16);
    }

    private static int place(Map<?, ?> key, String name) {
        if (key.get(name) instanceof Long number && number < RemoteBuf.MOST_DEVICES) {
            return number.intValue();
        }
        throw wrong(name);
    }

    private static String text(Map<?, ?> key, String name) {
        if (key.get(name) instanceof String text && text.equals(text.strip())) {
            return text;
        }
        throw wrong(name);
    }

    private static List<?> listOf(String name, @Nullable Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw wrong(name);
    }

    private static DescriptorException wrong(String name) {
        return new DescriptorException("member '" + name + "' is missing or wrong");
    }
}
