package io.urma4j.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Optional;

/**
 * Turns names of libc functions into method handles.
 *
 * <p>To bind never fails: where the platform or the function is missing, the handle throws
 * {@link UnsupportedOperationException} when it is called. Hence a class of bindings loads everywhere, and the first
 * use tells the reason rather than an error of class initialization.
 *
 * <p>No lambda here, nor where a memory is made: a first program would pay tens of milliseconds for its first one.
 */
final class Linkage {
    private Linkage() {}

    /** A function that reports by errno; its handle takes the state of a {@link CallFrame} before its arguments. */
    static MethodHandle bind(String function, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        MethodType type = descriptor.toMethodType().insertParameterTypes(0, MemorySegment.class);
        return link(function, descriptor, type, all);
    }

    /**
     * A function of which only the result counts, not errno. A call allocates nothing, whoever compiled it; one that tells
     * errno makes a slice of the frame's state, which C2 alone takes out again, and not always.
     */
    static MethodHandle bindBare(String function, FunctionDescriptor descriptor) {
        return link(function, descriptor, descriptor.toMethodType());
    }

    /**
     * A function that cannot fail and returns within a fraction of a microsecond: called without leaving the Java
     * state of the thread, so a garbage collection would wait for it.
     */
    static MethodHandle bindCritical(String function, FunctionDescriptor descriptor) {
        return link(function, descriptor, descriptor.toMethodType(), Linker.Option.critical(false));
    }

    /** A system call that goes through {@code syscall(2)}; its handle looks as if libc had the function. */
    static MethodHandle bindKernelCall(KernelCall call, FunctionDescriptor descriptor) {
        MethodHandle handle = bind("syscall", withNumber(descriptor), Linker.Option.firstVariadicArg(1));
        return MethodHandles.insertArguments(handle, 1, number(call));
    }

    /** The same, of which only the result counts; see {@link #bindBare}. */
    static MethodHandle bindBareKernelCall(KernelCall call, FunctionDescriptor descriptor) {
        FunctionDescriptor withNumber = withNumber(descriptor);
        MethodHandle handle = link("syscall", withNumber, withNumber.toMethodType(), Linker.Option.firstVariadicArg(1));
        return MethodHandles.insertArguments(handle, 0, number(call));
    }

    private static FunctionDescriptor withNumber(FunctionDescriptor descriptor) {
        return descriptor.insertArgumentLayouts(0, JAVA_LONG);
    }

    private static long number(KernelCall call) {
        Optional<Platform> platform = Platform.current();
        return platform.isPresent() ? call.number(platform.get()) : -1;
    }

    /** What a handle threw: only refusals and errors are possible, since no C function throws. */
    static RuntimeException rethrow(Throwable thrown) {
        return switch (thrown) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> new IllegalStateException("a native call threw a checked exception", thrown);
        };
    }

    @SuppressWarnings("restricted") // the one place that links native code
    private static MethodHandle link(
            String function, FunctionDescriptor descriptor, MethodType type, Linker.Option... options) {
        if (Platform.current().isEmpty()) {
            return refusing(type, Platform.refusal());
        }
        Linker linker = Linker.nativeLinker();
        Optional<MemorySegment> address = linker.defaultLookup().find(function);
        return address.isPresent()
                ? linker.downcallHandle(address.get(), descriptor, options)
                : refusing(type, "the libc of this machine has no function '" + function + "'");
    }

    static MethodHandle refusing(MethodType type, String message) {
        MethodHandle thrower = MethodHandles.throwException(type.returnType(), UnsupportedOperationException.class);
        MethodHandle refusal =
                MethodHandles.collectArguments(thrower, 0, refusalFactory().bindTo(message));
        return MethodHandles.dropArguments(refusal, 0, type.parameterList());
    }

    private static MethodHandle refusalFactory() {
        try {
            return MethodHandles.lookup()
                    .findConstructor(
                            UnsupportedOperationException.class, MethodType.methodType(void.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("UnsupportedOperationException(String) is gone", e);
        }
    }
}
