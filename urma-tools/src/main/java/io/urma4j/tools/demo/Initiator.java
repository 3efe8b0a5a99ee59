package io.urma4j.tools.demo;

import io.urma4j.Access;
import io.urma4j.JfsConfig;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An initiator: reads and writes the home's memory, and exchanges messages with it. */
final class Initiator implements Role {
    private final UrmaContext context;
    private final Leader leader;
    private final SharedSegment sharedData;
    private final OneSided data;
    private final OneSided board;
    private final Messenger messenger;

    Initiator(Session session, Leader leader, Line invitation) {
        this.context = session.context();
        this.leader = leader;
        this.sharedData = SharedSegment.parse(invitation.text("data"));
        this.data = new OneSided(context, context.importSegment(sharedData), Content.CHUNK_BYTES);
        this.board =
                new OneSided(context, context.importSegment(SharedSegment.parse(invitation.text("board"))), Long.BYTES);
        this.messenger = new Messenger(context);
        messenger.connect(invitation.text("jetty"));
    }

    /** The line by which the home can answer. */
    @Override
    public Line greeting() {
        return Line.of(Line.OK).with("jetty", messenger.share());
    }

    @Override
    public Line answer(Line request) throws IOException, InterruptedException {
        return switch (request.verb()) {
            case "write" -> write(request);
            case "compare" -> compare(request);
            case "count" -> count(request.number("times"));
            case "messages" -> converse((int) request.number("count"));
            case "wrong-token" -> Line.of(Line.OK).with("refusal", importWithWrongToken());
            case "read-only" -> Line.of(Line.OK).with("refusal", writeThroughReadOnlyImport());
            case "measure" -> measure();
            default -> throw new CommandFailure("the initiator does not know '" + request.verb() + "'");
        };
    }

    /** The whole content, in chunks, by one-sided writes. */
    private Line write(Line request) throws IOException, InterruptedException {
        long nanos = 0;
        try (Content content = Content.of(request)) {
            for (long at = 0; at < content.sizeBytes(); at += Content.CHUNK_BYTES) {
                long length = Math.min(Content.CHUNK_BYTES, content.sizeBytes() - at);
                content.fill(at, data.buffer().asSlice(0, length));
                long begin = System.nanoTime();
                data.write(at, length);
                nanos += System.nanoTime() - begin;
                leader.progress(at + length, content.sizeBytes());
            }
        }
        return Line.of(Line.OK).with("nanos", nanos);
    }

    /** Reads everything back, and compares each byte with the content itself. */
    private Line compare(Line request) throws IOException, InterruptedException {
        long nanos = 0;
        try (Content content = Content.of(request);
                Arena arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(Content.CHUNK_BYTES);
            for (long at = 0; at < content.sizeBytes(); at += Content.CHUNK_BYTES) {
                long length = Math.min(Content.CHUNK_BYTES, content.sizeBytes() - at);
                content.fill(at, expected.asSlice(0, length));
                long begin = System.nanoTime();
                data.read(at, length);
                nanos += System.nanoTime() - begin;
                long different = MemorySegment.mismatch(expected, 0, length, data.buffer(), 0, length);
                if (different >= 0) {
                    throw new CommandFailure("byte " + (at + different) + " is not what was written");
                }
                leader.progress(at + length, content.sizeBytes());
            }
        }
        return Line.of(Line.OK).with("nanos", nanos);
    }

    private Line count(long times) throws InterruptedException {
        long begin = System.nanoTime();
        for (long i = 0; i < times; i++) {
            board.fetchAndAdd(Board.COUNTER, 1);
        }
        return Line.of(Line.OK).with("nanos", System.nanoTime() - begin);
    }

    private Line converse(int count) throws InterruptedException {
        long begin = System.nanoTime();
        for (int number = 0; number < count; number++) {
            messenger.send(Messenger.Side.INITIATOR, number);
            messenger.receive(Messenger.Side.HOME, number);
        }
        return Line.of(Line.OK).with("nanos", System.nanoTime() - begin);
    }

    /** Verifies that the home refuses an import with a wrong token. */
    private String importWithWrongToken() {
        Token wrong = Token.of(sharedData.token().value() ^ 1);
        try (RemoteSegment stolen = context.importSegment(sharedData.descriptor(), wrong)) {
            throw new CommandFailure("the home accepted a wrong token for " + stolen);
        } catch (UrmaException e) {
            return refusal(e);
        }
    }

    /** Verifies that a read-only import cannot be written. */
    private String writeThroughReadOnlyImport() throws InterruptedException {
        try (RemoteSegment readOnly = context.importSegment(sharedData.descriptor(), sharedData.token(), Access.READ)) {
            OneSided through = new OneSided(context, readOnly, 1);
            through.read(0, 1);
            byte before = through.buffer().get(ValueLayout.JAVA_BYTE, 0);
            through.buffer().set(ValueLayout.JAVA_BYTE, 0, (byte) ~before);
            String refusal = refusedWrite(through);
            through.read(0, 1);
            if (through.buffer().get(ValueLayout.JAVA_BYTE, 0) != before) {
                throw new CommandFailure("the refused write changed a byte");
            }
            return refusal;
        }
    }

    private static String refusedWrite(OneSided through) throws InterruptedException {
        try {
            through.write(0, 1);
        } catch (UrmaException e) {
            return refusal(e);
        }
        throw new CommandFailure("a write through a read-only import was accepted");
    }

    private static String refusal(UrmaException failure) {
        if (failure.status() != UrmaStatus.ENOPERM) {
            throw failure; // it failed for another reason than the access
        }
        return String.valueOf(failure.getMessage());
    }

    private Line measure() throws InterruptedException {
        Completions completions = new Completions(context);
        var jfs = context.createJfs(
                completions.jfc(), JfsConfig.builder().lockFree(true).build());
        new Measurement(context, completions.jfc(), jfs, board.remote()).run(figures -> leader.say(figures.toLine()));
        return Line.of(Line.OK);
    }
}
