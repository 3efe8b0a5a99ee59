import io.urma4j.*;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

// One thread that waits for TCP and for URMA with one Selector.
//
// Terminal 1:  java --enable-native-access=ALL-UNNAMED -cp urma.jar OneSelector.java server
// Terminal 2:  java --enable-native-access=ALL-UNNAMED -cp urma.jar OneSelector.java
static final int BUFFER_BYTES = 256;

void main(String[] args) throws IOException {
    try (var urma = Urma.open(); var context = urma.device().openContext()) {
        if (args.length > 0) {
            serve(context);
        } else {
            visit(context);
        }
    }
}

void serve(UrmaContext context) throws IOException {
    Jfce events = context.createJfce();
    Jfc jfc = context.createJfc(JfcConfig.DEFAULT, events);
    Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
    LocalSegment buffer = context.register(context.allocate(BUFFER_BYTES), Access.LOCAL_ONLY);
    jfr.receive(buffer, 0, BUFFER_BYTES, 0);
    CompletionBatch batch = new CompletionBatch(1);

    try (Selector selector = Selector.open(); ServerSocketChannel tcp = ServerSocketChannel.open()) {
        tcp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
        tcp.register(selector, SelectionKey.OP_ACCEPT);
        events.channel().register(selector, SelectionKey.OP_READ);
        LocalSegment sign = context.register(context.allocate(4096), Access.READ);
        sign.memory().setString(0, tcp.socket().getLocalPort() + " " + jfr.share());
        sign.publish("selector"); // where visitors read both addresses
        IO.println("The server waits");

        for (int visits = 0; visits < 2; ) {
            jfc.rearm(false); // before looking once more: what comes from now on makes an event
            while (jfc.poll(batch) > 0) {
                int length = (int) batch.lengthBytes(0);
                byte[] text = buffer.memory().asSlice(0, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                IO.println("By URMA: " + new String(text, StandardCharsets.UTF_8));
                visits++;
            }
            if (visits == 2) {
                return;
            }
            selector.select();
            while (eventTaken(events)) {}
            try (SocketChannel visitor = tcp.accept()) {
                if (visitor != null) {
                    IO.println("By TCP: " + readAll(visitor));
                    visits++;
                }
            }
            selector.selectedKeys().clear();
        }
    }
}

boolean eventTaken(Jfce events) {
    try {
        return events.await(Duration.ZERO).isPresent();
    } catch (InterruptedException e) {
        throw new IllegalStateException(e);
    }
}

String readAll(SocketChannel visitor) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BUFFER_BYTES);
    while (bytes.hasRemaining() && visitor.read(bytes) >= 0) {}
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
}

void visit(UrmaContext context) throws IOException {
    String[] addresses;
    try (RemoteMemory sign = context.importMemory("name:selector")) {
        String text = new String(sign.read(0, 4096), StandardCharsets.UTF_8);
        addresses = text.substring(0, text.indexOf('\0')).split(" ", 2);
    }
    byte[] hello = "hello".getBytes(StandardCharsets.UTF_8);
    try (MessageChannel channel = context.openMessageChannel();
            MessageChannel.Peer server = channel.connect(addresses[1])) {
        server.send(hello);
    }
    int port = Integer.parseInt(addresses[0]);
    try (SocketChannel tcp = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
        tcp.write(ByteBuffer.wrap(hello));
    }
    IO.println("Said hello twice");
}
