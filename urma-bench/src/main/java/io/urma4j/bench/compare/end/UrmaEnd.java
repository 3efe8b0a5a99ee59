package io.urma4j.bench.compare.end;

import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.bench.Loopback;
import io.urma4j.bench.PredictedPackets;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** urma4j itself: its two devices, each opened when it is first wanted. */
public final class UrmaEnd implements Participant {
    /** Property of a participant that does by queues what could be simple calls. */
    public static final String QUEUES = "urma.bench.queues";

    private final Urma urma = Urma.open(Loopback.options());
    private final Map<Reach, UrmaCard> cards = new EnumMap<>(Reach.class);
    private @Nullable UrmaSleeper sleeper;

    @Override
    public String version() {
        return "this source tree";
    }

    private UrmaCard card(Task task) {
        return cards.computeIfAbsent(task.reach(), reach -> new UrmaCard(urma, reach));
    }

    @Override
    public String address(Task task) {
        if (task.work() == Work.WAKE) {
            sleeper = new UrmaSleeper(urma, device(task), task);
            return sleeper.invitation();
        }
        return card(task).invitation(task, isByPipe(task));
    }

    private static String device(Task task) {
        return task.reach() == Reach.MEMORY ? "shm0" : "udma0";
    }

    private Serving serveAsleep(Task task, String leaderAddress) {
        UrmaSleeper home = new UrmaSleeper(urma, device(task), task);
        TargetJetty leader = home.meet(leaderAddress);
        return new Serving() {
            @Override
            public String address() {
                return home.invitation();
            }

            @Override
            public void run(BooleanSupplier told) throws InterruptedException {
                try (home) {
                    home.serve(leader, told);
                }
            }
        };
    }

    @Override
    public Serving serve(Task task, String leaderAddress) {
        if (task.work() == Work.WAKE) {
            return serveAsleep(task, leaderAddress);
        }
        UrmaCard card = card(task);
        String invitation = card.invitation(task, isByPipe(task));
        card.meet(leaderAddress);
        return new Serving() {
            @Override
            public String address() {
                return invitation;
            }

            @Override
            public void run(BooleanSupplier told) throws InterruptedException {
                switch (task.work()) {
                    case WRITE_SEEN -> card.oneSided().returnWrites(task.bytes(), told);
                    case WRITE_RATE, READ, READ_RATE, FADD, CAS ->
                        card.oneSided().pollUntil(told);
                    case SEND_LATENCY, SEND_RATE, AT_RATE -> new MessageLoops(card.link(task)).serve(task, told);
                    case CONNECT -> card.receiveUntil(task, told);
                    case WAKE -> throw new IllegalArgumentException("sleepers serve elsewhere");
                }
                card.part();
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws InterruptedException {
        if (task.work() == Work.WAKE) {
            try (UrmaSleeper leader = Objects.requireNonNull(sleeper)) {
                return leader.lead(leader.meet(homeAddress), nanos);
            }
        }
        UrmaCard card = card(task);
        card.meet(homeAddress);
        Tally tally = isCall(task) && !Boolean.getBoolean(QUEUES)
                ? call(card, task, nanos)
                : lead(card, task, nanos, homeAddress);
        card.part();
        return tally;
    }

    /** Whether a task is simple calls: single operations on mapped memory. */
    private static boolean isCall(Task task) {
        return task.reach() == Reach.MEMORY
                && switch (task.work()) {
                    case READ, READ_RATE, WRITE_RATE, FADD, CAS -> true;
                    default -> false;
                };
    }

    /** Whether a task is messages by a pipe each way. */
    private static boolean isByPipe(Task task) {
        return isMessages(task) && !Boolean.getBoolean(QUEUES);
    }

    private static boolean isMessages(Task task) {
        return task.reach() == Reach.MEMORY
                && switch (task.work()) {
                    case SEND_LATENCY, SEND_RATE, AT_RATE -> true;
                    default -> false;
                };
    }

    /** Whether a task is done without queues, unless it is to be by them. */
    public static boolean isDirect(Task task) {
        return isCall(task) || isMessages(task);
    }

    private static Tally call(UrmaCard card, Task task, long nanos) {
        try (UrmaCalls calls = card.calls()) {
            return switch (task.work()) {
                case READ, READ_RATE -> calls.reads(nanos, task.bytes());
                case WRITE_RATE -> calls.writes(nanos, task.bytes());
                case FADD -> calls.adds(nanos);
                case CAS -> calls.swaps(nanos);
                default -> throw new IllegalArgumentException(task.work() + " is no call");
            };
        }
    }

    private Tally lead(UrmaCard card, Task task, long nanos, String homeAddress) throws InterruptedException {
        UrmaOneSided oneSided = card.oneSided();
        return switch (task.work()) {
            case WRITE_SEEN -> oneSided.writesSeen(nanos, task.bytes());
            case WRITE_RATE -> oneSided.stream(nanos, task.bytes(), true);
            case READ_RATE -> oneSided.stream(nanos, task.bytes(), false);
            case READ -> oneSided.reads(nanos, task.bytes());
            case FADD -> oneSided.adds(nanos);
            case CAS -> oneSided.swaps(nanos);
            case SEND_LATENCY, SEND_RATE, AT_RATE -> new MessageLoops(card.link(task)).lead(task, nanos);
            case CONNECT -> new UrmaConnector().connect(urma, device(task), UrmaCard.jettyOf(homeAddress));
            case WAKE -> throw new IllegalArgumentException("sleepers lead elsewhere");
        };
    }

    @Override
    public PredictedPackets packets() {
        return cards.values().stream().map(UrmaCard::packets).reduce(PredictedPackets.NONE, PredictedPackets::plus);
    }

    @Override
    public void close() {
        urma.close();
    }
}
