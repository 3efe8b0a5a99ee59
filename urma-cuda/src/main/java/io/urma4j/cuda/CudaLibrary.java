package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the library of the installed driver. Never by the bare name {@code libcuda.so}, which may be the toolkit's stub for
 * linkers.
 */
final class CudaLibrary {
    static final String SETTING = "urma.cuda.library";

    /** What the loader knows, then where drivers and container runtimes put it. */
    static final List<String> PLACES = List.of(
            "libcuda.so.1",
            "/usr/local/nvidia/lib64/libcuda.so.1",
            "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
            "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
            "/usr/lib64/libcuda.so.1",
            "/usr/lib/wsl/lib/libcuda.so.1");

    private static final String OBJECT = "CUDA driver";

    private final String place;
    private final SymbolLookup symbols;

    private CudaLibrary(String place, SymbolLookup symbols) {
        this.place = place;
        this.symbols = symbols;
    }

    /**
     * Opens the library that is named, else the first of {@code places} that exists.
     *
     * @throws UrmaException EINVAL if there is none
     */
    static CudaLibrary open(Optional<String> named, List<String> places) {
        if (named.isPresent()) {
            return tryOpen(named.get())
                    .orElseThrow(() -> missing(SETTING + " names " + named.get() + ", which is no library"));
        }
        for (String place : places) {
            Optional<CudaLibrary> found = tryOpen(place);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw missing("not installed: tried " + String.join(", ", places) + "; the setting " + SETTING
                + " can name another place");
    }

    /** The driver has threads of its own, so its library is never unloaded. */
    @SuppressWarnings("restricted") // loads native code, as the user asks by a client of GPU memory
    private static Optional<CudaLibrary> tryOpen(String place) {
        try {
            return Optional.of(new CudaLibrary(place, SymbolLookup.libraryLookup(place, Arena.global())));
        } catch (IllegalCallerException e) {
            Module module = CudaLibrary.class.getModule();
            throw missing("the JVM denies native access; start it with --enable-native-access="
                    + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // the next place, or the reason that names all
        }
    }

    SymbolLookup symbols() {
        return symbols;
    }

    /** Refuses the library if it lacks a function. */
    void check() {
        List<String> lacking = new ArrayList<>();
        for (CudaFunction function : CudaFunction.values()) {
            if (!function.isOptional() && symbols.find(function.symbol()).isEmpty()) {
                lacking.add(function.symbol());
            }
        }
        if (!lacking.isEmpty()) {
            throw unusable("it lacks " + String.join(", ", lacking));
        }
    }

    UrmaException unusable(String reason) {
        return missing(place + " cannot be used: " + reason);
    }

    private static UrmaException missing(String reason) {
        return new UrmaException(UrmaStatus.EINVAL, OBJECT, reason);
    }

    @Override
    public String toString() {
        return place;
    }
}
