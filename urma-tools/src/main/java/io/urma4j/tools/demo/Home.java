package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.LocalSegment;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The home: owns the memory, and reads it only on request. */
final class Home implements Role {
    private final Session session;
    private final Leader leader;
    private final LocalSegment data;
    private final LocalSegment board;
    private final Messenger messenger;

    Home(Session session, Leader leader, long sizeBytes) {
        this.session = session;
        this.leader = leader;
        this.data = segment(sizeBytes, Access.READ_WRITE);
        this.board = segment(Board.BYTES, Access.READ_WRITE_ATOMIC);
        this.messenger = new Messenger(session.context());
    }

    private LocalSegment segment(long sizeBytes, Access access) {
        // reserved, so that a lack of memory fails now
        var memory = session.context().allocate(sizeBytes, AllocOptions.DEFAULT.withReserve());
        return session.context().register(memory, access);
    }

    /** The lines by which initiators reach its memory and its Jetty. */
    @Override
    public Line greeting() {
        return Line.of(Line.OK)
                .with("data", data.share())
                .with("board", board.share())
                .with("jetty", messenger.share());
    }

    @Override
    public Line answer(Line request) throws InterruptedException {
        return switch (request.verb()) {
            case "hash" -> Line.of(Line.OK).with("sha256", sha256());
            case "messages" -> converse(request.text("jetty"), (int) request.number("count"));
            case "counter" ->
                Line.of(Line.OK).with("value", (long)
                        ValueLayout.JAVA_LONG.varHandle().getAcquire(board.memory(), Board.COUNTER));
            default -> throw new CommandFailure("the home does not know '" + request.verb() + "'");
        };
    }

    private String sha256() throws InterruptedException {
        MessageDigest digest = Content.newSha256();
        byte[] chunk = new byte[Content.CHUNK_BYTES];
        for (long at = 0; at < data.lengthBytes(); at += chunk.length) {
            int length = (int) Math.min(chunk.length, data.lengthBytes() - at);
            MemorySegment.copy(data.memory(), ValueLayout.JAVA_BYTE, at, chunk, 0, length);
            digest.update(chunk, 0, length);
            leader.progress(at + length, data.lengthBytes());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private Line converse(String initiator, int count) throws InterruptedException {
        messenger.connect(initiator);
        for (int number = 0; number < count; number++) {
            messenger.receive(Messenger.Side.INITIATOR, number);
            messenger.send(Messenger.Side.HOME, number);
        }
        return Line.of(Line.OK).with("received", count);
    }
}
