import io.urma4j.*;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

// A boss hands out work by messages, to as many workers as come; each gets the next piece when it has done one.
//
// Terminal 1:   java --enable-native-access=ALL-UNNAMED -cp urma.jar WorkQueue.java boss 1000
// Terminals 2…: java --enable-native-access=ALL-UNNAMED -cp urma.jar WorkQueue.java
static final Duration PATIENCE = Duration.ofMinutes(1);
static final long JOIN = -1; // in place of a result, by a new worker
static final long END = -2;

void main(String[] args) {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 0) {
            boss(context, Integer.parseInt(args[1]));
        } else {
            work(context);
        }
    }
}

void boss(UrmaContext context, int pieces) {
    MessageChannel door = context.openMessageChannel();
    door.publish("boss");
    IO.println("The boss waits for workers");

    Set<JettyId> workers = new HashSet<>(); // by the queue that their messages come from
    long sum = 0;
    int handedOut = 0;
    for (int done = 0, ended = 0; done < pieces || ended < workers.size(); ) {
        Message message = door.receive(PATIENCE).orElseThrow();
        workers.add(message.sender());
        long result = message.immediate().orElseThrow();
        if (result != JOIN) {
            sum += result;
            done++;
        }
        boolean isOver = handedOut == pieces;
        door.reply(message, new byte[0], isOver ? END : ++handedOut);
        ended += isOver ? 1 : 0;
    }
    IO.println(workers.size() + " workers did " + pieces + " pieces, the sum of their squares is " + sum);
}

void work(UrmaContext context) {
    MessageChannel door = context.openMessageChannel();
    try (MessageChannel.Peer boss = door.connect("name:boss")) {
        boss.sendWithReply(new byte[0], JOIN);
        int pieces = 0;
        while (true) {
            long piece = door.receive(PATIENCE).orElseThrow().immediate().orElseThrow();
            if (piece == END) {
                IO.println("Did " + pieces + " pieces");
                return;
            }
            boss.sendWithReply(new byte[0], piece * piece);
            pieces++;
        }
    }
}
