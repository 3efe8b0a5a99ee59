import io.urma4j.*;

// Terminal 1:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Hello.java home
// Terminal 2:  java --enable-native-access=ALL-UNNAMED -cp urma.jar Hello.java
void main(String[] args) {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 0) {
            home(context);
        } else {
            visit(context);
        }
    }
}

void home(UrmaContext context) { // owns the memory, and does nothing while others write to it
    LocalSegment board = context.register(context.allocate(4096), Access.READ_WRITE_ATOMIC);
    board.publish("hello");
    IO.readln("The board is open; Enter closes it. ");
    IO.println("It says: " + board.memory().getString(8));
}

void visit(UrmaContext context) { // in another process: reads, writes and counts in the home's memory
    try (RemoteMemory board = context.importMemory("name:hello")) {
        long visitors = board.fetchAndAdd(0, 1) + 1;
        board.write(8, ("hello from visitor " + visitors + "\0").getBytes());
        IO.println("Wrote as visitor " + visitors);
    }
}
