package io.urma4j.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The functions of an open library as method handles, by their number of arguments; and results in words. */
@SuppressWarnings("restricted") // binds native functions, and reads their texts
final class CudaCalls {
    private static final long TEXT_BYTES = 256;

    private final Map<CudaFunction, MethodHandle> functions = new EnumMap<>(CudaFunction.class);

    CudaCalls(CudaLibrary library) {
        Linker linker = Linker.nativeLinker();
        for (CudaFunction function : CudaFunction.values()) {
            library.symbols()
                    .find(function.symbol())
                    .ifPresent(address ->
                            functions.put(function, widened(linker.downcallHandle(address, function.descriptor()))));
        }
    }

    /** All integers become {@code long}, so that calls of the same length have the same type. */
    private static MethodHandle widened(MethodHandle exact) {
        MethodType type = exact.type();
        for (int i = 0; i < type.parameterCount(); i++) {
            if (type.parameterType(i).isPrimitive()) {
                type = type.changeParameterType(i, long.class);
            }
        }
        return MethodHandles.explicitCastArguments(exact, type);
    }

    /** The handle of a function; NOT_SUPPORTED if the library lacks it. */
    MethodHandle function(CudaFunction function) {
        MethodHandle handle = functions.get(function);
        if (handle == null) {
            throw new CudaException(
                    function.symbol(), CudaCode.NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "this driver lacks it");
        }
        return handle;
    }

    /** A function whose first argument points to its result, of 4 or 8 bytes. */
    long result(CudaFunction function, long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(JAVA_LONG);
            switch (arguments.length) {
                case 0 -> call(function, result.address());
                case 1 -> call(function, result.address(), arguments[0]);
                case 2 -> call(function, result.address(), arguments[0], arguments[1]);
                default -> throw new IllegalArgumentException(function + " has too many arguments");
            }
            return result.get(JAVA_LONG, 0);
        }
    }

    void call(CudaFunction function, long a) {
        check(function, invoke(function(function), a));
    }

    void call(CudaFunction function, long a, long b) {
        check(function, invoke(function(function), a, b));
    }

    void call(CudaFunction function, long a, long b, long c) {
        try {
            check(function, (int) function(function).invokeExact(a, b, c));
        } catch (Throwable thrown) {
            throw rethrow(thrown);
        }
    }

    void call(CudaFunction function, long a, long b, long c, long d) {
        check(function, invoke(function(function), a, b, c, d));
    }

    static int invoke(MethodHandle function, long a) {
        try {
            return (int) function.invokeExact(a);
        } catch (Throwable thrown) {
            throw rethrow(thrown);
        }
    }

    static int invoke(MethodHandle function, long a, long b) {
        try {
            return (int) function.invokeExact(a, b);
        } catch (Throwable thrown) {
            throw rethrow(thrown);
        }
    }

    static int invoke(MethodHandle function, long a, long b, long c, long d) {
        try {
            return (int) function.invokeExact(a, b, c, d);
        } catch (Throwable thrown) {
            throw rethrow(thrown);
        }
    }

    static RuntimeException rethrow(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new IllegalStateException("a native call threw a checked exception", thrown);
        };
    }

    void check(CudaFunction function, int code) {
        if (code != CudaCode.SUCCESS) {
            throw failure(function, code);
        }
    }

    private CudaException failure(CudaFunction function, int code) {
        String name = words(CudaFunction.GET_ERROR_NAME, code);
        return new CudaException(
                function.symbol(),
                code,
                name == null ? "result without a name" : name,
                Optional.ofNullable(words(CudaFunction.GET_ERROR_STRING, code)).orElse(""));
    }

    /** The driver's text for a result; null if it has none. */
    private @Nullable String words(CudaFunction function, int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(ADDRESS);
            boolean isKnown = invoke(function(function), code, text.address()) == CudaCode.SUCCESS;
            MemorySegment start = text.get(ADDRESS, 0);
            return isKnown && start.address() != 0
                    ? start.reinterpret(TEXT_BYTES).getString(0)
                    : null;
        }
    }
}
