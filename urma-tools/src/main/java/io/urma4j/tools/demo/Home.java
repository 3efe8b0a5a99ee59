package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The home: owns the memory, and reads it only on request. */
final class Home implements Role {
    private final Leader leader;
    private final HomeMemory data;
    private final HomeMemory board;
    private final Messenger messenger;

    Home(Session session, Leader leader, long sizeBytes) {
        this.leader = leader;
        this.data = HomeMemory.open(session, sizeBytes, Access.READ_WRITE);
        this.board = HomeMemory.open(session, Board.BYTES, Access.READ_WRITE_ATOMIC);
        this.messenger = new Messenger(session.context());
    }

    /** The lines by which initiators reach its memory and its Jetty. */
    @Override
    public Line greeting() {
        return Line.of(Line.OK)
                .with("data", data.segment().share())
                .with("board", board.segment().share())
                .with("jetty", messenger.share());
    }

    @Override
    public Line answer(Line request) throws InterruptedException {
        return switch (request.verb()) {
            case "hash" -> Line.of(Line.OK).with("sha256", sha256());
            case "messages" -> converse(request.text("jetty"), (int) request.number("count"));
            case "counter" -> Line.of(Line.OK).with("value", counter());
            default -> throw new CommandFailure("the home does not know '" + request.verb() + "'");
        };
    }

    private String sha256() throws InterruptedException {
        MessageDigest digest = Content.newSha256();
        long sizeBytes = data.segment().lengthBytes();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment chunk = arena.allocate(Content.CHUNK_BYTES);
            for (long at = 0; at < sizeBytes; at += Content.CHUNK_BYTES) {
                MemorySegment part = chunk.asSlice(0, Math.min(Content.CHUNK_BYTES, sizeBytes - at));
                data.read(at, part);
                digest.update(part.asByteBuffer());
                leader.progress(at + part.byteSize(), sizeBytes);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private long counter() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            board.read(Board.COUNTER, value);
            return value.get(ValueLayout.JAVA_LONG, 0);
        }
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
