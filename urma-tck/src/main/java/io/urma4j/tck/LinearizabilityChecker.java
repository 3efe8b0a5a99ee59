package io.urma4j.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of steps that explains what all initiators saw: each step takes effect at one moment between its
 * start and its end, and sees what the ones before it left (Herlihy and Wing). Words are checked one by one, since a
 * history is linearizable if that of each object is.
 *
 * <p>The search is that of Wing and Gong: of the steps that may come next, those that began before the first end among
 * all that remain, it tries one after the other, and goes back when none fits. As Lowe found, it need not try twice what
 * leads to the same word after the same set of steps.
 */
public final class LinearizabilityChecker {
    private final int sizeBytes;

    /** For words of 4 or 8 bytes that are 0 at first. */
    public LinearizabilityChecker(int sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** The reason why no such order exists; empty if one does. */
    public Optional<String> objection(List<AtomicStep> history) {
        Map<Long, List<AtomicStep>> words = history.stream().collect(Collectors.groupingBy(AtomicStep::offset));
        return words.values().stream()
                .flatMap(word -> objectionOfWord(word).stream())
                .findFirst();
    }

    private Optional<String> objectionOfWord(List<AtomicStep> steps) {
        return new Search(steps).objection();
    }

    /** The start or the end of a step, in a list by time from which steps are taken out and put back. */
    private static final class Moment {
        final int step;
        final long nanos;

        @Nullable
        Moment end; // of a start: its end

        @SuppressWarnings("NullAway.Init") // linked at once
        Moment previous;

        @Nullable
        Moment next;

        Moment(int step, long nanos) {
            this.step = step;
            this.nanos = nanos;
        }

        boolean isStart() {
            return end != null;
        }

        void takeOut() {
            previous.next = next;
            if (next != null) {
                next.previous = previous;
            }
        }

        void putBack() {
            previous.next = this;
            if (next != null) {
                next.previous = this;
            }
        }
    }

    /** A set of steps that are in order, and the word after them. */
    private record Reached(BitSet steps, long word) {}

    /** A step that was put in order, and the word before it. */
    private record Choice(Moment start, long before) {}

    private final class Search {
        private final List<AtomicStep> steps;
        private final Moment head = new Moment(-1, Long.MIN_VALUE);
        private final Set<Reached> tried = new HashSet<>();
        private final Deque<Choice> choices = new ArrayDeque<>();
        private final BitSet ordered = new BitSet();
        private long word;
        private int most;
        private String stuck = "";

        Search(List<AtomicStep> steps) {
            this.steps = steps;
            link();
        }

        private void link() {
            List<Moment> moments = new ArrayList<>();
            for (int i = 0; i < steps.size(); i++) {
                Moment start = new Moment(i, steps.get(i).startNanos());
                Moment end = new Moment(i, steps.get(i).endNanos());
                start.end = end;
                moments.add(start);
                moments.add(end);
            }
            // of moments at the same time the starts come first: then the steps overlap
            moments.sort(Comparator.<Moment>comparingLong(moment -> moment.nanos)
                    .thenComparingInt(moment -> moment.isStart() ? 0 : 1));
            Moment last = head;
            for (Moment moment : moments) {
                moment.previous = last;
                last.next = moment;
                last = moment;
            }
        }

        Optional<String> objection() {
            Moment at = head.next;
            while (at != null) {
                if (!at.isStart()) { // all that could come next was tried: one of them must have ended by now
                    noteStuck(at);
                    if (choices.isEmpty()) {
                        return Optional.of(stuck);
                    }
                    at = takeBack(choices.pop());
                } else if (fits(at)) {
                    choose(at);
                    at = head.next;
                } else {
                    at = at.next;
                }
            }
            return Optional.empty();
        }

        private boolean fits(Moment start) {
            AtomicStep step = steps.get(start.step);
            if (step.result() != word) {
                return false;
            }
            BitSet more = (BitSet) ordered.clone();
            more.set(start.step);
            return tried.add(new Reached(more, step.after(word, sizeBytes)));
        }

        private void choose(Moment start) {
            choices.push(new Choice(start, word));
            word = steps.get(start.step).after(word, sizeBytes);
            ordered.set(start.step);
            start.takeOut();
            endOf(start).takeOut();
        }

        private @Nullable Moment takeBack(Choice choice) {
            Moment start = choice.start();
            word = choice.before();
            ordered.clear(start.step);
            endOf(start).putBack();
            start.putBack();
            return start.next;
        }

        private static Moment endOf(Moment start) {
            Moment end = start.end;
            assert end != null : "a start has an end";
            return end;
        }

        private void noteStuck(Moment end) {
            if (ordered.cardinality() >= most) {
                most = ordered.cardinality();
                stuck = "after " + most + " of " + steps.size() + " steps the word is " + word
                        + ", and nothing explains " + steps.get(end.step);
            }
        }
    }
}
