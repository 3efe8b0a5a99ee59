package io.urma4j.tools.admin;

import io.urma4j.ContextOptions;
import io.urma4j.ContextView;
import io.urma4j.Resource;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaDevice;
import io.urma4j.UrmaException;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Ending;
import io.urma4j.tools.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The library, open on all devices or on one, to inspect the processes that use them. */
final class Sight implements AutoCloseable {
    /** The timeout for a stopped process; a running one answers at once. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Urma urma;
    private final List<UrmaContext> contexts = new ArrayList<>();

    private Sight(Urma urma) {
        this.urma = urma;
    }

    /** A device and what was found on it. */
    record Seen(UrmaDevice device, List<ContextView> contexts) {}

    /** Opens the device with this name; with null all that there are. */
    static Sight open(@Nullable String device) {
        Sight sight = new Sight(Urma.open());
        try {
            List<UrmaDevice> devices =
                    device == null ? sight.urma.devices() : List.of(Session.device(sight.urma, device));
            if (devices.isEmpty()) {
                throw new CommandFailure("no device works here; see 'urma doctor'");
            }
            for (UrmaDevice each : devices) {
                sight.contexts.add(each.openContext(0, ContextOptions.DEFAULT.withImportTimeout(PATIENCE)));
            }
            return sight;
        } catch (RuntimeException e) {
            sight.close();
            throw e;
        }
    }

    /** Queries the current resources of these kinds. */
    List<Seen> look(Set<Resource.Kind> kinds) throws InterruptedException {
        return ask(context -> context.inspect(kinds));
    }

    /** Makes contexts of one process, or of all, start or stop measuring their steps. */
    List<Seen> measure(boolean on, OptionalLong pid) throws InterruptedException {
        return ask(context -> context.measure(on, pid));
    }

    /** Asks on all devices. The library reports an interrupt as a failure, and leaves the flag set. */
    private List<Seen> ask(Function<UrmaContext, List<ContextView>> question) throws InterruptedException {
        try {
            return contexts.stream()
                    .map(context -> new Seen(context.device(), question.apply(context)))
                    .toList();
        } catch (UrmaException e) {
            if (Thread.interrupted()) {
                throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
            }
            throw e;
        }
    }

    /** Closes everything. If the command was interrupted, the close is not. */
    @Override
    public void close() {
        Ending.of(urma);
    }
}
