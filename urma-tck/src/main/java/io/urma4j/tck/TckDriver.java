package io.urma4j.tck;

import io.urma4j.UrmaException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A process that executes the calls of a test in another process: it reads calls from standard input, and writes
 * answers to standard output. It ends when its input ends, so it never outlives the test.
 *
 * <pre>
 * call    call number i32, object number i32, method UTF, argument count i32, arguments
 * answer  call number i32, kind u8 (0 a value, 1 an UrmaException, 2 another failure), value or texts
 * </pre>
 *
 * <p>Each call and each answer is preceded by its length. Object 0 is the root, whose class is the first argument of
 * the program. Calls run beside each other.
 */
public final class TckDriver implements Wire.Objects {
    static final byte VALUE = 0;
    static final byte URMA_EXCEPTION = 1;
    static final byte FAILURE = 2;

    private final Map<Integer, HomeObject> objects = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Wire wire = new Wire(this);
    private final DataOutputStream out;

    private TckDriver(DataOutputStream out) {
        this.out = out;
    }

    /** Serves until standard input ends. The argument names the root's class. */
    public static void main(String[] args) throws Exception {
        var out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16));
        System.setOut(System.err); // standard output is taken
        var driver = new TckDriver(out);
        var root = Class.forName(args[0]).asSubclass(HomeObject.class).getDeclaredConstructor();
        root.setAccessible(true); // roots of tests need not be public
        driver.numberOf(root.newInstance());
        try (ExecutorService calls = Executors.newCachedThreadPool()) {
            driver.serve(new DataInputStream(new BufferedInputStream(System.in, 1 << 16)), calls);
        }
    }

    private void serve(DataInputStream in, ExecutorService calls) throws IOException {
        while (true) {
            byte[] frame;
            try {
                frame = new byte[in.readInt()];
                in.readFully(frame);
            } catch (EOFException e) {
                Runtime.getRuntime().halt(0); // the test is gone, so running calls are abandoned
                return;
            }
            calls.execute(() -> answer(frame));
        }
    }

    private void answer(byte[] frame) {
        var bytes = new ByteArrayOutputStream();
        var answer = new DataOutputStream(bytes);
        try {
            var in = new DataInputStream(new ByteArrayInputStream(frame));
            answer.writeInt(in.readInt());
            try {
                Object result = call(in);
                answer.writeByte(VALUE);
                wire.write(answer, result);
            } catch (UrmaException e) {
                answer.writeByte(URMA_EXCEPTION);
                answer.writeUTF(e.status().name());
                answer.writeUTF(e.object());
                answer.writeUTF(String.valueOf(e.getMessage()));
            } catch (Throwable e) {
                answer.writeByte(FAILURE);
                answer.writeUTF(stackOf(e));
            }
            send(bytes.toByteArray());
        } catch (IOException e) {
            throw new IllegalStateException("the test cannot be answered", e);
        }
    }

    private @Nullable Object call(DataInputStream in) throws Throwable {
        HomeObject object = objectOf(in.readInt(), "");
        String name = in.readUTF();
        @Nullable Object[] arguments = new Object[in.readInt()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = wire.read(in);
        }
        try {
            return method(object, name, arguments.length).invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static Method method(HomeObject object, String name, int argumentCount) {
        for (Method method : Wire.interfaceOf(object).getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == argumentCount) {
                method.setAccessible(true);
                return method;
            }
        }
        throw new IllegalArgumentException(object.getClass() + " has no " + name + " with " + argumentCount);
    }

    private synchronized void send(byte[] frame) throws IOException {
        out.writeInt(frame.length);
        out.write(frame);
        out.flush();
    }

    @Override
    public int numberOf(HomeObject object) {
        int number = numbers.getAndIncrement();
        objects.put(number, object);
        return number;
    }

    @Override
    public HomeObject objectOf(int number, String interfaceName) {
        HomeObject object = objects.get(number);
        if (object == null) {
            throw new IllegalArgumentException("no object has the number " + number);
        }
        return object;
    }

    private static String stackOf(Throwable failure) {
        var text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        String stack = text.toString();
        return stack.substring(0, Math.min(stack.length(), 16_000)); // writeUTF takes 65535 bytes
    }
}
