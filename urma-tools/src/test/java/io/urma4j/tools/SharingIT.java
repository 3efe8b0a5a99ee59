package io.urma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.tools.Shell.Ended;
import io.urma4j.tools.Shell.Running;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Remote memory from a shell, between terminals. */
class SharingIT extends WithShell {
    @TempDir
    Path files;

    @Test
    void aFileThatIsSharedInOneTerminalIsFetchedInAnother() throws Exception {
        byte[] content = random(3_000_001);
        Running share = shell.share(file(content));

        Ended fetch = shell.runWith(share.line(), "fetch", "-", "-o", at("copy"));

        assertThat(fetch.exitCode()).as(fetch.err()).isZero();
        assertThat(fetch.err()).isEmpty();
        assertThat(Files.readAllBytes(files.resolve("copy"))).isEqualTo(content);
        assertThat(shell.runWith(share.line(), "fetch", "-").stdout()).isEqualTo(content);
    }

    @Test
    void aLineInAFileIsAsGood() throws Exception {
        byte[] content = random(100);
        Running share = shell.share(file(content));
        Files.writeString(files.resolve("line"), share.out());

        assertThat(shell.run("fetch", "@" + at("line")).stdout()).isEqualTo(content);
    }

    @Test
    void aLineWithAnyOneCharacterChangedIsRefusedAndLeavesNoFile() throws Exception {
        Running share = shell.share(file(random(100)));
        String line = share.line();
        // each takes a process, so a sample; that every character counts is tested where lines are read
        int[] positions = Boolean.getBoolean("urma.full")
                ? IntStream.range(0, line.length()).toArray()
                : new Random(7).ints(8, 0, line.length()).toArray();

        for (int position : positions) {
            char other = line.charAt(position) == 'A' ? 'B' : 'A';
            String changed = line.substring(0, position) + other + line.substring(position + 1);

            Ended fetch = shell.runWith(changed, "fetch", "-", "-o", at("copy"));

            assertThat(fetch.exitCode())
                    .as("position %d: %s", position, fetch.err())
                    .isEqualTo(1);
            assertThat(fetch.err())
                    .startsWith("urma: the share line is not valid: ")
                    .hasLineCount(1);
            assertThat(names()).containsExactly("content");
        }
    }

    @Test
    void aPartOfTheMemoryCanBeFetchedAndNothingBeyondIt() throws Exception {
        byte[] content = random(10_000);
        shell.share(file(content), "--name", "part");

        Ended part = shell.run("fetch", "shm:part", "--offset", "4KiB", "--length", "100");
        Ended beyond = shell.run("fetch", "shm:part", "--offset", "9999", "--length", "2", "-o", at("copy"));

        assertThat(part.stdout()).isEqualTo(Arrays.copyOfRange(content, 4096, 4196));
        assertThat(beyond.exitCode()).isEqualTo(1);
        assertThat(beyond.err()).contains("offset 9999 + length 2 lies outside the segment of 10000 bytes");
        assertThat(names()).containsExactly("content");
    }

    @Test
    void zeroedMemoryTakesBytesAndCounts() throws Exception {
        shell.share("-n", "4KiB", "--name", "board");

        Ended put = shell.runWith("hello".getBytes(StandardCharsets.UTF_8), "put", "shm:board", "-", "--offset", "100");
        Ended first = shell.run("add", "shm:board", "8", "42");
        Ended second = shell.run("add", "shm:board", "8", "-2");
        Ended third = shell.run("add", "shm:board", "8", "0", "--json");

        assertThat(put.exitCode()).as(put.err()).isZero();
        assertThat(first.out()).isEqualTo("0\n");
        assertThat(second.out()).isEqualTo("42\n");
        assertThat(third.out().replaceAll("\\s", "")).isEqualTo("{\"before\":40}");
        assertThat(shell.run("fetch", "shm:board", "--offset", "98", "--length", "9")
                        .stdout())
                .isEqualTo("\0\0hello\0\0".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aFileIsWrittenOnlyWhenItFits() throws Exception {
        shell.share("-n", "1000", "--name", "small");
        String content = file(random(1001));

        Ended put = shell.run("put", "shm:small", content);

        assertThat(put.exitCode()).isEqualTo(1);
        assertThat(put.err()).contains("offset 0 + length 1001 lies outside the segment of 1000 bytes");
        assertThat(shell.run("fetch", "shm:small").stdout()).isEqualTo(new byte[1000]);
    }

    @Test
    void whatIsSharedToBeReadIsNotWritten() throws Exception {
        byte[] content = random(64);
        shell.share(file(content), "--name", "fixed");

        Ended put = shell.runWith("x", "put", "shm:fixed", "-");
        Ended add = shell.run("add", "shm:fixed", "0", "1");

        assertThat(put.exitCode()).isEqualTo(1);
        assertThat(put.err())
                .isEqualTo("urma: the segment is shared as r, and put needs rw: share it with --access rw\n");
        assertThat(add.exitCode()).isEqualTo(1);
        assertThat(add.err())
                .isEqualTo("urma: the segment is shared as r, and add needs rwa: share it with --access rwa\n");
        assertThat(shell.run("fetch", "shm:fixed").stdout()).isEqualTo(content);
    }

    @Test
    void anAdditionIsAlignedAndInside() throws Exception {
        shell.share("-n", "64", "--name", "words");

        Ended unaligned = shell.run("add", "shm:words", "4", "1");
        assertThat(unaligned.err()).startsWith("urma: OFFSET: 4 is not a multiple of 8\n");
        assertThat(unaligned.exitCode()).isEqualTo(2);
        assertThat(shell.run("add", "shm:words", "64", "1").err()).contains("lies outside its 64 bytes");
        assertThat(shell.run("add", "shm:words", "x", "1").exitCode()).isEqualTo(2);
    }

    @Test
    void namesAreListedWithSizeAccessHomeAndUsers() throws Exception {
        shell.share("-n", "4KiB", "--name", "board");
        shell.share(file(random(100)), "--name", "data");

        Ended table = shell.run("ls");
        Ended json = shell.run("ls", "--json");

        assertThat(table.exitCode()).as(table.err()).isZero();
        assertThat(table.out().lines().skip(1).sorted().map(line -> line.replaceAll("\\s+", " ")))
                .hasSize(2)
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("shm:board 4 KiB rwa "),
                        second -> assertThat(second).startsWith("shm:data 100 B r "));
        assertThat(json.out()).contains("\"name\" : \"shm:board\"").contains("\"sizeBytes\" : 4096");
    }

    @Test
    void withNothingSharedTheListIsEmpty() throws Exception {
        Ended table = shell.run("ls");

        assertThat(table.exitCode()).as(table.err()).isZero();
        assertThat(table.out()).isEmpty();
        assertThat(shell.run("ls", "--json").out()).isEqualTo("[ ]\n");
    }

    @Test
    void aTakenNameIsRefused() throws Exception {
        shell.share("-n", "8", "--name", "one");

        Ended second = shell.run("share", "-n", "8", "--name", "one");

        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.out()).isEmpty();
        assertThat(second.err()).contains("one").contains("EEXIST").hasLineCount(1);
    }

    @Test
    void aNameThatNobodySharesIsNamed() throws Exception {
        Ended fetch = shell.run("fetch", "shm:absent", "-o", at("copy"));

        assertThat(fetch.exitCode()).isEqualTo(1);
        assertThat(fetch.err()).contains("absent").hasLineCount(1);
        assertThat(names()).isEmpty();
    }

    @Test
    void ctrlCEndsAShareCleanly() throws Exception {
        Running share = shell.share("-n", "1M", "--name", "gone");

        Ended ended = share.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("urma: ended; all importers have released it");
        assertThat(shell.leftFiles()).isEmpty();
        assertThat(shell.run("ls").out()).isEmpty();
    }

    @Test
    void aShareThatEndsTellsWhoStillUsedIt() throws Exception {
        Running share = shell.share("-n", "8M", "--name", "used", "--access", "rw");
        Running user = shell.start("put", "shm:used", "-"); // waits for its input, with the memory imported
        await().atMost(Duration.ofSeconds(30)).until(() -> shell.run("ls").out().contains(pid(user)));

        Ended ended = share.interrupted();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("still used by").contains(pid(user));
    }

    @Test
    void aShareEndsByItselfWhenItsTimeIsOver() throws Exception {
        Ended ended = shell.start("share", "-n", "8", "--for", "300ms").ended();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).hasLineCount(1);
    }

    @Test
    void theLineOfAKilledHomeLeadsNowhere() throws Exception {
        Running share = shell.share("-n", "1M", "--name", "killed");
        String line = share.line();
        share.signal("KILL");
        share.ended();

        Ended fetch = shell.runWith(line, "fetch", "-", "-o", at("copy"));

        assertThat(fetch.exitCode()).isEqualTo(1);
        assertThat(fetch.err()).startsWith("urma: ").hasLineCount(1);
        assertThat(names()).isEmpty();
        assertThat(shell.run("ls").out()).isEmpty();
        assertThat(shell.leftFiles())
                .as("what the killed one left is taken away by the next")
                .isEmpty();
    }

    @Test
    void ctrlCEndsTheWaitForALine() throws Exception {
        Running fetch = shell.start("fetch", "-", "--debug", "-o", at("copy"));
        awaitCommand(fetch);

        Ended ended = fetch.interrupted();

        assertThat(ended.exitCode()).isEqualTo(130);
        assertThat(ended.err()).startsWith("urma: interrupted\n");
        assertThat(names()).isEmpty();
    }

    /** Waits until a command has begun: its last thread to start, or the wait itself, cannot be seen from here. */
    private static void awaitCommand(Running command) {
        Path tasks = Path.of("/proc", pid(command), "task");
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            try (var threads = Files.list(tasks)) {
                return threads.anyMatch(SharingIT::isBlockedInRead);
            }
        });
    }

    private static boolean isBlockedInRead(Path task) {
        try {
            // system call 0 (x86_64) or 63 (aarch64) is read, of descriptor 0
            return Files.readString(task.resolve("syscall")).matches("(?s)(0|63) 0x0 .*");
        } catch (IOException e) {
            return false; // the thread has ended meanwhile
        }
    }

    private static String pid(Running command) {
        return Long.toString(command.process().pid());
    }

    private String file(byte[] content) throws IOException {
        return Files.write(files.resolve("content"), content).toString();
    }

    private String at(String name) {
        return files.resolve(name).toString();
    }

    private List<String> names() throws IOException {
        try (var all = Files.list(files)) {
            return all.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
