package io.urma4j.udma.driver;

import io.urma4j.Eid;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Errno;
import io.urma4j.libc.FileStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.LockFile;
import io.urma4j.libc.UserIds;
import io.urma4j.spi.support.Setting;
import io.urma4j.udma.control.PortAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where the network contexts of one user on one host find each other: who there is, and which names they have published.
 * Peers on other hosts are reached by descriptors.
 *
 * <pre>
 *   udma/00c0de       of the context with UASID 0xc0de, locked by it; says where it is reached
 *   udma-names/orders locked by the context that published the name; says where that is reached
 * </pre>
 */
final class HostDirectory implements AutoCloseable {
    private static final String CONTEXTS = "udma";
    private static final String NAMES = "udma-names";
    private static final int MAX_UASID = 0xFF_FFFF;
    private static final int UASID_ATTEMPTS = 1000;
    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ONLY = 0700;
    private static final Pattern LINE =
            Pattern.compile("urma4j-udma 1 ([0-9a-f:.]+) ([0-9]{1,5}) ([0-9a-f]{1,16}) ([0-9]{1,8})");

    private final Dir contexts;
    private final Dir names;

    private HostDirectory(Dir contexts, Dir names) {
        this.contexts = contexts;
        this.names = names;
    }

    /** The address of a context, and its identity. */
    record Place(PortAddress at, long incarnation, int uasid) {
        private String toLine() {
            return "urma4j-udma 1 " + at.eid() + " " + at.udpPort() + " " + Long.toHexString(incarnation) + " " + uasid;
        }

        private static Optional<Place> parse(String line) {
            Matcher parts = LINE.matcher(line);
            if (!parts.matches()) {
                return Optional.empty();
            }
            PortAddress at = new PortAddress(Eid.parse(parts.group(1)), Integer.parseInt(parts.group(2)));
            long incarnation = Long.parseUnsignedLong(parts.group(3), 16);
            return Optional.of(new Place(at, incarnation, Integer.parseInt(parts.group(4))));
        }
    }

    /** A UASID that this process owns, and its file. */
    record Uasid(int number, LockFile file) {}

    /**
     * Opens the directory, and creates it if it does not exist.
     *
     * @throws UrmaException ENOPERM if other users can access it; FAIL if it cannot be created
     */
    static HostDirectory open(UrmaOptions options) {
        Path path = Setting.runtimeDirectory(options, System::getenv, UserIds.effective())
                .toAbsolutePath()
                .normalize();
        try (Dir runtime = made(path)) {
            checkOurs(path, runtime);
            runtime.makeDirectory(CONTEXTS);
            runtime.makeDirectory(NAMES);
            Dir contexts = runtime.openDirectory(CONTEXTS);
            try {
                return new HostDirectory(contexts, runtime.openDirectory(NAMES));
            } catch (LibcException e) {
                contexts.close();
                throw e;
            }
        } catch (LibcException e) {
            boolean isLink = e.errno() == Errno.ELOOP || e.errno() == Errno.ENOTDIR;
            throw new UrmaException(
                    isLink ? UrmaStatus.ENOPERM : UrmaStatus.FAIL,
                    "runtime directory " + path,
                    isLink ? "is a symbolic link or no directory" : "cannot be opened: " + e.getMessage(),
                    e);
        } catch (IOException e) {
            throw new UrmaException(
                    UrmaStatus.FAIL, "runtime directory " + path, "cannot be opened: " + e.getMessage(), e);
        }
    }

    private static Dir made(Path path) throws IOException {
        Path parent = path.getParent();
        Path name = path.getFileName();
        if (parent == null || name == null) {
            throw new IOException("it is no path of a directory");
        }
        try (Dir above = Dir.open(parent.toRealPath())) {
            above.makeDirectory(name.toString());
        }
        return Dir.open(path);
    }

    private static void checkOurs(Path path, Dir directory) {
        FileStatus status = directory.status();
        int uid = UserIds.effective();
        if (status.ownerUid() != uid || (status.permissions() & PERMISSIONS) != OWNER_ONLY) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    "runtime directory " + path,
                    "belongs to uid " + status.ownerUid() + " with mode 0"
                            + Integer.toOctalString(status.permissions()) + ", must belong to uid " + uid
                            + " with mode 0700");
        }
    }

    /** Takes a free UASID, and removes files of dead contexts. */
    Uasid takeUasid(PortAddress at, long incarnation, RandomGenerator random) {
        sweep(contexts);
        sweep(names);
        for (int i = 0; i < UASID_ATTEMPTS; i++) {
            int uasid = random.nextInt(1, MAX_UASID + 1);
            Optional<LockFile> file = take(contexts, fileOf(uasid), new Place(at, incarnation, uasid).toLine());
            if (file.isPresent()) {
                return new Uasid(uasid, file.get());
            }
        }
        throw new UrmaException(UrmaStatus.ENOMEM, this, "no free UASID was found");
    }

    private static Optional<LockFile> take(Dir directory, String name, String line) {
        try {
            Optional<LockFile> taken = LockFile.take(directory, name);
            if (taken.isPresent()) {
                taken.get().write(line);
            }
            return taken;
        } catch (LibcException | IOException e) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM, directory, "file " + name + " cannot be created: " + e.getMessage(), e);
        }
    }

    private static String fileOf(int uasid) {
        return String.format("%06x", uasid);
    }

    private static void sweep(Dir directory) {
        list(directory).forEach(name -> LockFile.takeExisting(directory, name).ifPresent(LockFile::remove));
    }

    private static List<String> list(Dir directory) {
        try (Stream<Path> files = Files.list(directory.procPath())) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + directory, e);
        }
    }

    /** All living contexts. */
    List<Place> contexts() {
        List<Place> all = new ArrayList<>();
        for (String name : list(contexts)) {
            if (!LockFile.isDead(contexts, name)) {
                Place.parse(LockFile.readIfPossible(contexts, name)).ifPresent(all::add);
            }
        }
        return all;
    }

    /** Whether that living context is in this directory. */
    boolean has(Place place) {
        String name = fileOf(place.uasid);
        return Place.parse(LockFile.readIfPossible(contexts, name))
                        .filter(place::equals)
                        .isPresent()
                && !LockFile.isDead(contexts, name);
    }

    /** Whether that context is in this directory. */
    boolean has(int uasid, long incarnation) {
        return isOf(LockFile.readIfPossible(contexts, fileOf(uasid)), incarnation);
    }

    private static boolean isOf(String line, long incarnation) {
        return Place.parse(line)
                .filter(place -> place.incarnation == incarnation)
                .isPresent();
    }

    /** Whether a context that was in this directory has closed, or its process is dead. */
    boolean isDead(int uasid, long incarnation) {
        String name = fileOf(uasid);
        try {
            return LockFile.isDead(contexts, name) || !isOf(LockFile.read(contexts, name), incarnation);
        } catch (IOException e) {
            return false; // this process cannot read it, which proves nothing
        }
    }

    /** Takes a name; empty if it is taken. */
    Optional<LockFile> takeName(String name, Place owner) {
        return take(names, name, owner.toLine());
    }

    /** The owner of a name; empty if there is none. */
    Optional<Place> owner(String name) {
        try {
            return Place.parse(LockFile.readIfPossible(names, name));
        } catch (IllegalArgumentException | UrmaException e) {
            return Optional.empty(); // no name that anybody could have published
        }
    }

    List<String> names() {
        return list(names);
    }

    @Override
    public void close() {
        contexts.close();
        names.close();
    }

    @Override
    public String toString() {
        return "runtime directory " + contexts.path().getParent();
    }
}
