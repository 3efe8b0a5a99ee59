package io.urma4j.spi.control;

import io.urma4j.Resource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A resource as a text of a control message: its number, and then its fields as {@code name=value}, with a tab before each.
 * A text that is too long for a message loses its last fields.
 */
public final class ResourceText {
    private static final String SEPARATOR = "\t";

    /** A kind's number is its index here, which never changes. */
    private static final List<Resource.Kind> KINDS = List.of(
            Resource.Kind.CONTEXT,
            Resource.Kind.JFC,
            Resource.Kind.JFS,
            Resource.Kind.JFR,
            Resource.Kind.JETTY,
            Resource.Kind.JETTY_GROUP,
            Resource.Kind.SEG,
            Resource.Kind.IMPORT,
            Resource.Kind.TARGET,
            Resource.Kind.TP,
            Resource.Kind.WAIT,
            Resource.Kind.EVENT,
            Resource.Kind.PERF,
            Resource.Kind.POOL,
            Resource.Kind.POOL_CLASS,
            Resource.Kind.POOL_PEER,
            Resource.Kind.PEER_CLIENT,
            Resource.Kind.PEER_DEVICE,
            Resource.Kind.PEER_REGION,
            Resource.Kind.SOCKET,
            Resource.Kind.PORT,
            Resource.Kind.DROPS);

    private ResourceText() {}

    public static int number(Resource.Kind kind) {
        return KINDS.indexOf(kind);
    }

    /** The kind with that number; empty for one of another version. */
    public static Optional<Resource.Kind> kind(int number) {
        return number < 0 || number >= KINDS.size() ? Optional.empty() : Optional.of(KINDS.get(number));
    }

    public static String of(Resource resource) {
        StringBuilder text = new StringBuilder().append(resource.id());
        int bytes = text.length();
        for (Map.Entry<String, String> entry : resource.fields().entrySet()) {
            String field = SEPARATOR + entry.getKey() + "=" + entry.getValue().replaceAll("\\p{Cntrl}", " ");
            bytes += field.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > ControlCodec.MAX_TEXT_BYTES) {
                return isNumber(entry.getValue()) ? text.toString() : text + field;
            }
            text.append(field);
        }
        return text.toString();
    }

    /** A number that loses its last digits is another number; words may be cut. */
    private static boolean isNumber(String value) {
        return value.matches("-?\\d+");
    }

    /**
     * Parses what {@link #of} wrote; malformed fields are skipped, since the end may be truncated.
     *
     * @throws IllegalArgumentException if it does not begin with a number
     */
    public static Resource parse(Resource.Kind kind, String text) {
        String[] parts = text.split(SEPARATOR, -1);
        Resource.Builder resource = Resource.builder(kind, Long.parseLong(parts[0]));
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals > 0) {
                resource.add(parts[i].substring(0, equals), parts[i].substring(equals + 1));
            }
        }
        return resource.build();
    }
}
