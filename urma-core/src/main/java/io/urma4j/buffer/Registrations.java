package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.spi.ProviderSegment;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The registrations of one memory, with a context each. */
final class Registrations {
    private Registrations() {}

    /** The contexts of a pool, or of transfers: 1 to 16 different ones. */
    static List<UrmaContext> distinct(String object, UrmaContext... contexts) {
        List<UrmaContext> distinct = List.of(contexts);
        Checks.inRange(object, "number of contexts", distinct.size(), 1, RemoteBuf.MOST_DEVICES);
        if (distinct.stream().distinct().count() < distinct.size()) {
            throw Checks.invalid(object, "a context stands twice in " + distinct);
        }
        return distinct;
    }

    /** How many unfinished work requests name the memory. */
    static int unfinished(List<LocalSegment> registrations) {
        int unfinished = 0;
        for (LocalSegment registration : registrations) {
            if (registration.revocation().isEmpty()
                    && ApiAccess.api().providerOf(registration) instanceof ProviderSegment provider) {
                unfinished += provider.unfinished();
            }
        }
        return unfinished;
    }

    /** Whether peers import the memory, or did not confirm yet that they released it. */
    static boolean areImported(List<LocalSegment> registrations) {
        return registrations.stream()
                .anyMatch(registration -> ApiAccess.api().providerOf(registration) instanceof ProviderSegment provider
                        && !provider.importers().isEmpty());
    }

    /** Whether there are some, all have ended, and no peer touches the memory any more. */
    static boolean areRevoked(List<LocalSegment> registrations) {
        return !registrations.isEmpty()
                && registrations.stream()
                        .noneMatch(registration -> registration.revocation().isEmpty());
    }

    /** Refuses memory of the caller that no context can register. */
    static void checkForeign(String object, MemorySegment memory) {
        if (!memory.isNative()) {
            throw Checks.invalid(
                    object, "the memory is on the Java heap, where the garbage collector moves it; use an Arena");
        }
        if (memory.byteSize() == 0) {
            throw Checks.invalid(object, "the memory is empty");
        }
        if (memory.isReadOnly()) {
            throw Checks.invalid(object, "the memory is read-only, but operations may write to a buffer");
        }
        Checks.usableHere(object, "the memory", memory);
    }

    /** Registers memory of the caller with each context, or with none if one refuses. */
    static List<LocalSegment> ofForeign(MemorySegment memory, UrmaContext... contexts) {
        List<LocalSegment> registrations = new ArrayList<>(contexts.length);
        try {
            for (UrmaContext context : contexts) {
                registrations.add(context.registerForeign(memory, Access.LOCAL_ONLY));
            }
        } catch (UrmaException e) {
            closeAll(registrations, e);
            throw e;
        }
        return List.copyOf(registrations);
    }

    /** Ends all; throws the first failure afterwards, if there is one. */
    static void end(List<LocalSegment> registrations) {
        ClosingOrder.throwIfFailed(closeAll(registrations, null));
    }

    /** Ends all, whatever fails; the failures are suppressed in the first one. */
    static @Nullable RuntimeException closeAll(List<LocalSegment> registrations, @Nullable RuntimeException first) {
        RuntimeException failure = first;
        for (LocalSegment registration : registrations) {
            try {
                registration.close();
            } catch (UrmaException e) {
                failure = ClosingOrder.joined(failure, e);
            }
        }
        return failure;
    }
}
