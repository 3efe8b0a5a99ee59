package io.urma4j.tck;

import io.urma4j.AsyncEvent;
import io.urma4j.Token;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of values between a test and its home's process: a tag byte, then the value. Records are sent as their
 * components, so that every configuration and descriptor passes; a {@link HomeObject} is sent as its number, the source
 * of an {@link AsyncEvent} as its text.
 */
final class Wire {
    /** Turns home objects into numbers and back; each end has its own. */
    interface Objects {
        int numberOf(HomeObject object);

        HomeObject objectOf(int number, String interfaceName) throws ClassNotFoundException;
    }

    private static final byte NULL = 0;
    private static final byte BOOLEAN = 1;
    private static final byte INT = 2;
    private static final byte LONG = 3;
    private static final byte STRING = 4;
    private static final byte BYTES = 5;
    private static final byte LONGS = 6;
    private static final byte ENUM = 7;
    private static final byte DURATION = 8;
    private static final byte OPTIONAL = 9;
    private static final byte OPTIONAL_LONG = 10;
    private static final byte LIST = 11;
    private static final byte TOKEN = 12;
    private static final byte RECORD = 13;
    private static final byte OBJECT = 14;

    private final Objects objects;

    Wire(Objects objects) {
        this.objects = objects;
    }

    void write(DataOutput out, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> out.writeByte(NULL);
            case Boolean b -> {
                out.writeByte(BOOLEAN);
                out.writeBoolean(b);
            }
            case Integer i -> {
                out.writeByte(INT);
                out.writeInt(i);
            }
            case Long l -> {
                out.writeByte(LONG);
                out.writeLong(l);
            }
            case String s -> {
                out.writeByte(STRING);
                out.writeUTF(s);
            }
            case byte[] bytes -> {
                out.writeByte(BYTES);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
            case long[] longs -> {
                out.writeByte(LONGS);
                out.writeInt(longs.length);
                for (long l : longs) {
                    out.writeLong(l);
                }
            }
            case Enum<?> e -> {
                out.writeByte(ENUM);
                out.writeUTF(e.getDeclaringClass().getName());
                out.writeUTF(e.name());
            }
            case Duration d -> {
                out.writeByte(DURATION);
                out.writeLong(d.toNanos());
            }
            case Optional<?> o -> {
                out.writeByte(OPTIONAL);
                write(out, o.orElse(null));
            }
            case OptionalLong o -> {
                out.writeByte(OPTIONAL_LONG);
                out.writeBoolean(o.isPresent());
                out.writeLong(o.orElse(0));
            }
            case List<?> list -> {
                out.writeByte(LIST);
                out.writeInt(list.size());
                for (Object element : list) {
                    write(out, element);
                }
            }
            case Token token -> {
                out.writeByte(TOKEN);
                out.writeInt(token.value());
            }
            case AsyncEvent event -> {
                out.writeByte(RECORD);
                writeRecord(out, new AsyncEvent(event.type(), event.object(), event.detail(), event.status()));
            }
            case Record record -> {
                out.writeByte(RECORD);
                writeRecord(out, record);
            }
            case HomeObject object -> {
                out.writeByte(OBJECT);
                out.writeInt(objects.numberOf(object));
                out.writeUTF(interfaceOf(object).getName());
            }
            default -> throw new IOException("a " + value.getClass().getName() + " cannot travel");
        }
    }

    private void writeRecord(DataOutput out, Record record) throws IOException {
        out.writeUTF(record.getClass().getName());
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            try {
                var accessor = component.getAccessor();
                accessor.setAccessible(true);
                write(out, accessor.invoke(record));
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IOException("cannot read " + component, e);
            }
        }
    }

    @Nullable
    Object read(DataInput in) throws IOException {
        byte tag = in.readByte();
        return switch (tag) {
            case NULL -> null;
            case BOOLEAN -> in.readBoolean();
            case INT -> in.readInt();
            case LONG -> in.readLong();
            case STRING -> in.readUTF();
            case BYTES -> {
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                yield bytes;
            }
            case LONGS -> {
                long[] longs = new long[in.readInt()];
                for (int i = 0; i < longs.length; i++) {
                    longs[i] = in.readLong();
                }
                yield longs;
            }
            case ENUM -> readEnum(in);
            case DURATION -> Duration.ofNanos(in.readLong());
            case OPTIONAL -> Optional.ofNullable(read(in));
            case OPTIONAL_LONG -> {
                boolean present = in.readBoolean();
                long value = in.readLong();
                yield present ? OptionalLong.of(value) : OptionalLong.empty();
            }
            case LIST -> {
                int size = in.readInt();
                List<@Nullable Object> list = new ArrayList<>(size);
                for (int i = 0; i < size; i++) {
                    list.add(read(in));
                }
                yield list;
            }
            case TOKEN -> Token.of(in.readInt());
            case RECORD -> readRecord(in);
            case OBJECT -> readObject(in);
            default -> throw new IOException("tag " + tag + " is unknown");
        };
    }

    private static Object readEnum(DataInput in) throws IOException {
        Class<?> type = classNamed(in.readUTF());
        String name = in.readUTF();
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(name)) {
                return constant;
            }
        }
        throw new IOException(type + " has no constant " + name);
    }

    private Object readRecord(DataInput in) throws IOException {
        Class<?> type = classNamed(in.readUTF());
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = read(in);
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IOException("cannot make a " + type, e);
        }
    }

    private Object readObject(DataInput in) throws IOException {
        int number = in.readInt();
        String interfaceName = in.readUTF();
        try {
            return objects.objectOf(number, interfaceName);
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    /** The interface by which the other end knows an object. */
    static Class<?> interfaceOf(HomeObject object) {
        for (Class<?> candidate : object.getClass().getInterfaces()) {
            if (HomeObject.class.isAssignableFrom(candidate)) {
                return candidate;
            }
        }
        throw new IllegalArgumentException(object.getClass() + " implements no kind of HomeObject itself");
    }

    private static Class<?> classNamed(String name) throws IOException {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }
}
