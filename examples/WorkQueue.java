import io.urma4j.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

// A boss hands out work by messages, to as many workers as come; each gets the next piece when it has done one.
//
// Terminal 1:   java --enable-native-access=ALL-UNNAMED -cp urma.jar WorkQueue.java boss 1000
// Terminals 2…: java --enable-native-access=ALL-UNNAMED -cp urma.jar WorkQueue.java
static final Duration PATIENCE = Duration.ofMinutes(1);
static final long JOIN = -1; // beside the address of a new worker
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
    MessageChannel door = context.messageChannel();
    door.publish("boss");
    IO.println("The boss waits for workers");

    Map<Integer, MessageChannel.Peer> workers = new HashMap<>(); // by the address space that their messages come from
    long sum = 0;
    int handedOut = 0;
    for (int done = 0; done < pieces; ) {
        Message message = door.receive(PATIENCE).orElseThrow();
        int from = message.sender().uasid();
        if (message.immediate().orElseThrow() == JOIN) {
            String address = new String(message.bytes(), StandardCharsets.UTF_8);
            workers.put(from, door.connect(address));
        } else {
            sum += message.immediate().getAsLong();
            done++;
        }
        if (handedOut < pieces) {
            workers.get(from).send(new byte[0], ++handedOut);
        }
    }
    workers.values().forEach(worker -> worker.send(new byte[0], END));
    IO.println(workers.size() + " workers did " + pieces + " pieces, the sum of their squares is " + sum);
}

void work(UrmaContext context) {
    MessageChannel door = context.messageChannel();
    try (MessageChannel.Peer boss = door.connect("name:boss")) {
        boss.send(door.share().getBytes(StandardCharsets.UTF_8), JOIN);
        int pieces = 0;
        while (true) {
            long piece = door.receive(PATIENCE).orElseThrow().immediate().orElseThrow();
            if (piece == END) {
                IO.println("Did " + pieces + " pieces");
                return;
            }
            boss.send(new byte[0], piece * piece);
            pieces++;
        }
    }
}
