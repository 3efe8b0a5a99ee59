package io.urma4j.tck;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Another process that a test drives: a {@link TckDriver}, with proxies for the objects in it. Safe for any number of
 * threads. Closing it kills the process, which also ends with the test's own process.
 */
public final class DriverProcess implements AutoCloseable, Wire.Objects {
    /** Longer than any wait inside of a call. */
    private static final Duration CALL_LIMIT = Patience.stretched(Duration.ofSeconds(60));

    private final Process process;
    private final DataOutputStream out;
    private final Wire wire = new Wire(this);
    private final AtomicInteger callNumbers = new AtomicInteger();
    private final Map<Integer, CompletableFuture<byte[]>> calls = new ConcurrentHashMap<>();
    private volatile boolean ended;
    private volatile boolean killed;

    private DriverProcess(Process process) {
        this.process = process;
        this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
        Thread.ofPlatform().daemon().name("answers of " + process.pid()).start(this::takeAnswers);
    }

    /** A process with this JDK and class path; {@code root} is the class of its first object. */
    public static DriverProcess start(Class<? extends HomeObject> root) {
        return start(root, List.of(), System.getProperty("java.class.path"));
    }

    /**
     * A process with this JDK.
     *
     * @param root class of its first object
     * @param launcher command line before {@code java}, for example to change the user
     * @param classPath where it finds itself and the library
     */
    public static DriverProcess start(Class<? extends HomeObject> root, List<String> launcher, String classPath) {
        List<String> command = new ArrayList<>(launcher);
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC", // these three make the JVM start faster
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-ea",
                "-D" + Patience.PROPERTY + "=" + Patience.FACTOR,
                "-Durma.full=" + Boolean.getBoolean("urma.full"), // its deadlines are those of this process
                "-D" + DevicesUnderTest.PROPERTY + "=" + DevicesUnderTest.name(),
                "-cp",
                classPath,
                TckDriver.class.getName(),
                root.getName()));
        try {
            return new DriverProcess(
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command.getFirst(), e);
        }
    }

    /** The object of the root's class. */
    public <T extends HomeObject> T root(Class<T> type) {
        return type.cast(standIn(0, type));
    }

    public long pid() {
        return process.pid();
    }

    /** Whether the process is alive. */
    public boolean isAlive() {
        return !ended && process.isAlive();
    }

    /** Ends it at once, as SIGKILL does; returns when it is gone. */
    public void kill() {
        killed = true;
        ended = true;
        process.destroyForcibly();
        try {
            if (!process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("process " + process.pid() + " does not die");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether {@link #kill} was called. */
    public boolean wasKilled() {
        return killed;
    }

    /** Stops it where it is, until {@link #proceed}. */
    public void stop() {
        signal("STOP");
        awaitStop(pid());
    }

    /** Waits until a process that was sent SIGSTOP is stopped: each of its threads stops separately. */
    public static void awaitStop(long pid) {
        Patience.await("the stop of pid " + pid, () -> isStopped(pid));
    }

    private static boolean isStopped(long pid) {
        try (var threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.allMatch(DriverProcess::isThreadStopped);
        } catch (IOException | UncheckedIOException e) {
            return !Files.exists(Path.of("/proc/" + pid)); // or a thread has just ended
        }
    }

    /** What follows the name, which may contain anything, is the state. */
    private static boolean isThreadStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Continues the process. */
    public void proceed() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectError(Redirect.INHERIT)
                    .start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("SIG" + name + " did not reach process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        return "process " + process.pid();
    }

    /** Number and interface of an object in the other process; forwards calls to it. */
    private final class StandIn implements InvocationHandler {
        private final int number;
        private final Class<?> type;

        StandIn(int number, Class<?> type) {
            this.number = number;
            this.type = type;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> arguments != null && isMe(arguments[0]);
                    case "hashCode" -> number;
                    default -> type.getSimpleName() + " " + number + " in " + DriverProcess.this;
                };
            }
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return call(number, method.getName(), arguments == null ? new Object[0] : arguments);
        }

        private boolean isMe(@Nullable Object other) {
            return other != null
                    && Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other).equals(this);
        }
    }

    private Object standIn(int number, Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new StandIn(number, type));
    }

    @Override
    public int numberOf(HomeObject object) {
        return ((StandIn) Proxy.getInvocationHandler(object)).number;
    }

    @Override
    public HomeObject objectOf(int number, String interfaceName) throws ClassNotFoundException {
        return (HomeObject) standIn(number, Class.forName(interfaceName));
    }

    private @Nullable Object call(int object, String method, @Nullable Object[] arguments) throws Exception {
        int number = callNumbers.getAndIncrement();
        var answer = new CompletableFuture<byte[]>();
        calls.put(number, answer);
        try {
            if (ended) {
                throw new IOException("it ended before");
            }
            send(number, object, method, arguments);
            return result(answer.get(CALL_LIMIT.toSeconds(), TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new AssertionError(this + " does not answer " + method + "; its threads:\n" + threads(), e);
        } catch (ExecutionException | IOException e) {
            throw new PeerGoneException(this + " is gone, during " + method, e);
        } finally {
            calls.remove(number);
        }
    }

    private void send(int number, int object, String method, @Nullable Object[] arguments) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var frame = new DataOutputStream(bytes);
        frame.writeInt(number);
        frame.writeInt(object);
        frame.writeUTF(method);
        frame.writeInt(arguments.length);
        for (Object argument : arguments) {
            wire.write(frame, argument);
        }
        synchronized (out) {
            out.writeInt(bytes.size());
            bytes.writeTo(out);
            out.flush();
        }
    }

    private @Nullable Object result(byte[] frame) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(frame));
        byte kind = in.readByte();
        return switch (kind) {
            case TckDriver.VALUE -> wire.read(in);
            case TckDriver.URMA_EXCEPTION -> throw madeAgain(in.readUTF(), in.readUTF(), in.readUTF());
            default -> throw new AssertionError("in " + this + ": " + in.readUTF());
        };
    }

    private static UrmaException madeAgain(String status, String object, String message) {
        String prefix = object + ": ";
        String suffix = " (" + status + ")";
        boolean wrapped = message.startsWith(prefix) && message.endsWith(suffix);
        String text = wrapped ? message.substring(prefix.length(), message.length() - suffix.length()) : message;
        return new UrmaException(UrmaStatus.valueOf(status), object, text);
    }

    private void takeAnswers() {
        try (var in = new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16))) {
            while (true) {
                byte[] frame = new byte[in.readInt() - Integer.BYTES];
                var call = calls.get(in.readInt());
                in.readFully(frame);
                if (call != null) {
                    call.complete(frame);
                }
            }
        } catch (IOException e) {
            ended = true;
            calls.values().forEach(call -> call.completeExceptionally(e));
        }
    }

    /** A thread dump by the JDK's own tool. */
    private String threads() {
        try {
            var jcmd = new ProcessBuilder(
                            System.getProperty("java.home") + "/bin/jcmd", Long.toString(pid()), "Thread.print")
                    .redirectErrorStream(true)
                    .start();
            return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The process ended before it answered. */
    public static final class PeerGoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PeerGoneException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
