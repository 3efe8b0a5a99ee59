package io.urma4j.udma.driver;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/**
 * A process with two devices, whose one thread sends messages to and fro between them. In the first tenth of them it stalls now
 * and then, as a scheduler makes it, so that the compiler sees what stalls cause. Prints its uptime in milliseconds.
 */
final class MessageLoop {
    private static final int MESSAGE_BYTES = 64;
    private static final int RECEIVES = 64;
    private static final int ROUNDS_PER_STALL = 1_000;
    private static final int LONGEST_STALL_MILLIS = 8;

    private MessageLoop() {}

    /** @param args runtime directory, number of messages in all, number of those before each line of output */
    public static void main(String[] args) throws InterruptedException {
        long messages = Long.parseLong(args[1]);
        long perLine = Long.parseLong(args[2]);
        try (Urma here = open(args[0], "127.0.71.31");
                Urma there = open(args[0], "127.0.71.32")) {
            End left = new End(here.device("udma0").openContext());
            End right = new End(there.device("udma0").openContext());
            TargetJetty toLeft = right.context.importJetty(SharedJetty.parse(left.jfr.share()));
            TargetJetty toRight = left.context.importJetty(SharedJetty.parse(right.jfr.share()));
            for (long sent = 0; sent < messages; sent += perLine) {
                boolean stalls = sent < messages / 10;
                exchange(left, right, toLeft, toRight, perLine / 2, stalls);
                System.out.println(ManagementFactory.getRuntimeMXBean().getUptime());
            }
        }
    }

    private static Urma open(String runtime, String address) {
        return Urma.open(
                UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtime)).withSetting("urma.udma.addresses", address));
    }

    private static void exchange(
            End left, End right, TargetJetty toLeft, TargetJetty toRight, long rounds, boolean stalls)
            throws InterruptedException {
        for (long i = 1; i <= rounds; i++) {
            left.send(toRight);
            if (stalls && i % ROUNDS_PER_STALL == 0) {
                Thread.sleep(i / ROUNDS_PER_STALL % LONGEST_STALL_MILLIS + 1);
            }
            right.awaitMessage();
            right.send(toLeft);
            left.awaitMessage();
        }
    }

    private static final class End {
        final UrmaContext context;
        final Jfr jfr;
        private final LocalSegment local;
        private final Jfc jfc;
        private final Jfs jfs;
        private final CompletionBatch batch = new CompletionBatch(16);

        End(UrmaContext context) {
            this.context = context;
            local = context.register(context.allocate((RECEIVES + 1L) * MESSAGE_BYTES), Access.LOCAL_ONLY);
            jfc = context.createJfc(JfcConfig.DEFAULT.withLockFree());
            jfs = context.createJfs(jfc, JfsConfig.builder().lockFree(true).build());
            jfr = context.createJfr(jfc, JfrConfig.builder().build());
            for (int i = 1; i <= RECEIVES; i++) {
                receive((long) i * MESSAGE_BYTES);
            }
        }

        private void receive(long offset) {
            if (!jfr.receive(local, offset, MESSAGE_BYTES, offset)) {
                throw new IllegalStateException("the receive queue is full");
            }
        }

        void send(TargetJetty target) {
            while (!jfs.send(target, local, 0, MESSAGE_BYTES, 0)) {
                poll();
            }
        }

        void awaitMessage() {
            while (!poll()) {
                Thread.onSpinWait();
            }
        }

        /** Whether it found a message. */
        private boolean poll() {
            boolean hasMessage = false;
            int count = jfc.poll(batch);
            for (int i = 0; i < count; i++) {
                if (!batch.isSuccess(i)) {
                    throw new IllegalStateException(batch.toString());
                }
                if (batch.isReceive(i)) {
                    receive(batch.userContext(i));
                    hasMessage = true;
                }
            }
            return hasMessage;
        }
    }
}
