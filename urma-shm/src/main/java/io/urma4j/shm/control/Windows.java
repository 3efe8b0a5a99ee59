package io.urma4j.shm.control;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import io.urma4j.libc.Fd;
import io.urma4j.libc.LibcException;
import io.urma4j.shm.memory.Failures;
import io.urma4j.shm.memory.ImportedMapping;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ProviderWindow;
import io.urma4j.spi.control.ControlMessage.OpenWindowTable;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import io.urma4j.spi.support.SharedResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the memories of {@link WindowTable} with each peer, once and only when a window is used. Owned by the engine's
 * thread, except where stated.
 */
final class Windows {

    /** An importer opens a table again if it could not map the answer: no honest one does so without a pause. */
    private static final long REPETITION_NANOS = 1_000_000_000;

    private final Engine engine;
    private final Requests requests;
    private final GrantBoard board;
    private final Map<Peer, Importer> importers = new HashMap<>();

    Windows(Engine engine, Requests requests, GrantBoard board) {
        this.engine = engine;
        this.requests = requests;
        this.board = board;
    }

    /** Where an importer announces its operations. */
    private static final class Importer {
        final @Nullable ImportedMapping[] tables = new ImportedMapping[WindowTable.TABLES];
        private final boolean[] hasRepeated = new boolean[WindowTable.TABLES];
        private final long[] repeatedNanos = new long[WindowTable.TABLES];

        /** Whether it may open this table again. Each time costs the engine the end of a mapping. */
        boolean mayRepeat(int table, long nowNanos) {
            if (hasRepeated[table] && nowNanos - repeatedNanos[table] < REPETITION_NANOS) {
                return false;
            }
            hasRepeated[table] = true;
            repeatedNanos[table] = nowNanos;
            return true;
        }

        void end() {
            Arrays.stream(tables).forEach(Windows::end);
        }
    }

    /** An importer's side of one table of a home: the words that it writes, and the generations that it reads. */
    record Opened(ShmMemory operations, ImportedMapping generations) {
        void close() {
            generations.revoke();
            operations.close();
        }
    }

    /** Opens a window of an import. For any thread. */
    CompletableFuture<ProviderWindow> open(ShmImport of, WindowKey key, Duration timeout) {
        if (!of.isMeant(key.importNumber())) {
            return CompletableFuture.failedFuture(new UrmaException(
                    UrmaStatus.ENOPERM, of, "the window was granted to another import, or by another home"));
        }
        if (key.slot() < 0 || key.slot() >= of.home().windowSlots()) {
            return CompletableFuture.failedFuture(
                    new UrmaException(UrmaStatus.EINVAL, of, "no window has the slot " + key.slot()));
        }
        int table = WindowTable.of(key.slot());
        Opened known = known(of.home(), table);
        if (known != null) {
            return CompletableFuture.completedFuture(window(of, key, known));
        }
        long deadlineNanos = engine.deadline(timeout);
        return engine.ask(() -> requests.until(deadlineNanos, ensure(of.home(), table), of.home(), "open its windows")
                .thenApply(opened -> window(of, key, opened)));
    }

    /** Whether {@link #open} need not ask the home. For any thread. */
    static boolean isOpenedAtOnce(ShmImport of, WindowKey key) {
        boolean isRefused = !of.isMeant(key.importNumber())
                || key.slot() < 0
                || key.slot() >= of.home().windowSlots();
        return isRefused || known(of.home(), WindowTable.of(key.slot())) != null;
    }

    /** A table that was exchanged already; null if the engine must see to it. For any thread. */
    private static @Nullable Opened known(Peer home, int table) {
        SharedResult<Opened> there = home.windows.get(table);
        return there == null ? null : there.value();
    }

    private static ShmWindow window(ShmImport of, WindowKey key, Opened opened) {
        return new ShmWindow(of, key, opened.operations.segment(), opened.generations.segment());
    }

    /** Asks for the first table before it is needed, beside another request to that home. The engine's thread. */
    void prepare(Peer home) {
        try {
            var _ = ensure(home, 0);
        } catch (UrmaException e) {
            // without memory for the counters, the first window fails for that reason
        }
    }

    /** For all windows of that table. */
    private SharedResult<Opened> ensure(Peer home, int table) {
        SharedResult<Opened> there = home.windows.get(table);
        if (there != null && !there.hasFailed()) {
            return there;
        }
        if (home.isLost()) {
            throw Requests.gone(home, "it was lost");
        }
        ShmMemory mine = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "urma-windows");
        try {
            SharedResult<Opened> opening = new SharedResult<>(ask(home, table, mine, mine.shareReadOnly()));
            home.windows.put(table, opening);
            return opening;
        } catch (RuntimeException e) {
            mine.close();
            throw e instanceof LibcException lack ? Failures.of(home, "cannot be asked for its windows", lack) : e;
        }
    }

    private CompletableFuture<Opened> ask(Peer home, int table, ShmMemory mine, Fd shared) {
        return requests.askForAll(home, number -> request(number, table), shared)
                .thenApply(reply -> opened(reply, mine))
                .whenComplete((opened, failure) -> {
                    if (failure != null) {
                        mine.close();
                    }
                });
    }

    private static Request request(long number, int table) {
        return table == 0 ? new OpenWindows(number) : new OpenWindowTable(number, table);
    }

    private static Opened opened(Requests.Reply reply, ShmMemory mine) {
        reply.as(WindowsOpened.class);
        try (Fd table = reply.takeDescriptor()) {
            return new Opened(mine, ImportedMapping.mapWhole(table, WindowTable.BYTES, false));
        }
    }

    /** A peer requests to use windows in a table of this home. */
    void requested(Peer from, Connection via, Request request, int table, List<Fd> descriptors) {
        if (!from.importsFromUs()) {
            via.refuse(request, UrmaStatus.ENOPERM, "windows need an import from this context");
            return;
        }
        if (descriptors.size() != 1) {
            via.refuse(request, UrmaStatus.EINVAL, "the request has no memory for its operation counters");
            return;
        }
        try (Fd theirs = descriptors.removeFirst()) {
            Fd generations = board.table(table).shareReadOnly();
            Importer importer = importers.computeIfAbsent(from, _ -> new Importer());
            if (importer.tables[table] != null && !importer.mayRepeat(table, System.nanoTime())) {
                via.refuse(request, UrmaStatus.EAGAIN, "the table was opened, and opened again just now");
                return;
            }
            ImportedMapping mapping = ImportedMapping.mapWhole(theirs, WindowTable.BYTES, false);
            end(importer.tables[table]); // of an attempt that it gave up
            importer.tables[table] = mapping;
            from.operations.set(table, mapping.segment());
            via.send(new WindowsOpened(request.request()), generations);
        } catch (UrmaException e) {
            refuse(via, request, e);
        } catch (LibcException e) {
            refuse(via, request, Failures.of(board, "cannot be shared", e));
        }
    }

    private static void refuse(Connection via, Request request, UrmaException why) {
        via.refuse(request, why.status(), "no windows: " + why.reason());
    }

    /** A home is gone: its windows can no longer be used. */
    void homeLost(Peer home) {
        for (SharedResult<Opened> there : home.windows.values()) {
            Opened opened = there.value();
            if (opened != null) {
                opened.close();
            }
        }
    }

    /** An importer is proven gone: it announces no more operations. */
    void importerGone(Peer importer) {
        Importer gone = importers.remove(importer);
        if (gone != null) {
            gone.end();
        }
    }

    private static void end(@Nullable ImportedMapping operations) {
        if (operations != null) {
            operations.revoke();
        }
    }

    void close() {
        importers.values().forEach(Importer::end);
        importers.clear();
        board.close();
    }
}
