import io.urma4j.*;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

// The queue level: lists of work requests, records, and a queue that is stopped and set going again.
//
// Terminal 1:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Queues.java home
// Terminal 2:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Queues.java
static final int WORDS = 1000;
static final int LIST = 64; // work requests in a list
static final int NOTES = 16; // buffers for messages at the home
static final long END = -1;

void main(String[] args) {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 0) {
            home(context);
        } else {
            visit(context);
        }
    }
}

// ---- the home has a table that others write, and a receive queue for their notes

void home(UrmaContext context) {
    LocalSegment table = context.register(context.allocate(8L * WORDS), Access.READ_WRITE);
    Jfc jfc = context.createJfc(JfcConfig.DEFAULT);
    Jfr jfr = context.createJfr(jfc, JfrConfig.builder().depth(NOTES).build());
    LocalSegment notes = context.register(context.allocate(8L * NOTES), Access.LOCAL_ONLY);
    for (int i = 0; i < NOTES; i++) {
        jfr.receive(notes, 8L * i, 8, i); // the user context says in the record which buffer it was
    }
    table.publish("table");
    jfr.publish("notes");
    IO.println("The home waits");

    CompletionBatch batch = new CompletionBatch(NOTES);
    while (true) {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (batch.immediate(i) == END) {
                return;
            }
            long sum = 0;
            for (int word = 0; word < batch.immediate(i); word++) {
                sum += table.memory().getAtIndex(ValueLayout.JAVA_LONG, word);
            }
            IO.println("A note says that " + batch.immediate(i) + " words are there; their sum is " + sum);
            jfr.receive(notes, 8 * batch.userContext(i), 8, batch.userContext(i));
        }
        Thread.onSpinWait();
    }
}

// ---- the visitor writes the table, and tells the home when it is there

void visit(UrmaContext context) {
    RemoteSegment table = context.importSegment(context.lookup("table"));
    TargetJetty home = context.importJetty("name:notes");
    LocalSegment words = context.register(context.allocate(8L * WORDS), Access.LOCAL_ONLY);
    for (int word = 0; word < WORDS; word++) {
        words.memory().setAtIndex(ValueLayout.JAVA_LONG, word, word);
    }
    Jfc jfc = context.createJfc(JfcConfig.DEFAULT);
    Jfs jfs = context.createJfs(jfc, JfsConfig.DEFAULT);

    writeAll(jfs, jfc, words, table);
    note(jfs, home, WORDS);
    IO.println("Wrote " + WORDS + " words: " + next(jfc).status());

    stopAndGoOn(jfs, jfc, words, table);
    note(jfs, home, END);
    IO.println("Said goodbye: " + next(jfc).status());
}

/** One write for each word, in lists. The last one of a list is signalled: its record frees the slots of all before it. */
void writeAll(Jfs jfs, Jfc jfc, LocalSegment words, RemoteSegment table) {
    WorkRequestList list = new WorkRequestList(LIST, 1);
    for (int from = 0; from < WORDS; from += LIST) {
        int last = Math.min(WORDS, from + LIST) - 1;
        list.clear();
        for (int word = from; word <= last; word++) {
            list.write(table, 8L * word, word)
                    .from(words, 8L * word, 8)
                    .flags(word == last ? PostFlags.DEFAULT : PostFlags.UNSIGNALLED);
        }
        for (int posted = 0; posted < list.size(); ) {
            posted = jfs.post(list, posted); // a full queue takes a part, and the rest when there is room
            if (list.refusal().isPresent()) {
                throw list.refusal().get();
            }
        }
        Completion end = next(jfc);
        if (!end.isSuccess()) {
            throw new IllegalStateException("word " + end.userContext() + " was not written: " + end.status());
        }
    }
}

/** A message without bytes, whose number arrives beside it: behind the fence, so that all words are there before it. */
void note(Jfs jfs, TargetJetty home, long number) {
    WorkRequestList list = new WorkRequestList(1, 1);
    list.sendImmediate(home, number, 0).flags(PostFlags.DEFAULT.fenced());
    while (jfs.post(list) == 0) {
        Thread.onSpinWait();
    }
}

/** ERROR ends what is in flight and holds what is posted; flush returns all of that, and RESET and READY begin anew. */
void stopAndGoOn(Jfs jfs, Jfc jfc, LocalSegment words, RemoteSegment table) {
    jfs.modify(QueueState.ERROR);
    for (int i = 0; i < 3; i++) {
        jfs.write(table, 8L * i, words, 8L * i, 8, i);
    }
    List<Completion> back = new ArrayList<>();
    while (!next(jfc).status().isMarker()) {} // nothing more comes by itself behind the marker
    back.addAll(jfs.flushAll());
    IO.println("Stopped: " + back.size() + " came back, the first with " + back.getFirst().status());

    jfs.modify(QueueState.RESET);
    jfs.modify(QueueState.READY);
    jfs.write(table, 0, words, 0, 8, 42);
    IO.println("Goes on: " + next(jfc).status());
}

Completion next(Jfc jfc) {
    CompletionBatch batch = new CompletionBatch(1);
    while (jfc.poll(batch) == 0) {
        Thread.onSpinWait();
    }
    return batch.completion(0);
}
