package io.urma4j.tck;

import io.urma4j.Message;
import io.urma4j.MessageChannel;
import java.util.Arrays;

/** A message channel of a home in this process. */
final class LocalHomeChannel implements HomeChannel {
    private final MessageChannel channel;

    LocalHomeChannel(MessageChannel channel) {
        this.channel = channel;
    }

    @Override
    public String share() {
        return channel.share();
    }

    @Override
    public byte[] next() {
        return channel.receive(Patience.LIMIT)
                .orElseThrow(() -> new AssertionError("no message within " + Patience.LIMIT))
                .bytes();
    }

    @Override
    public void send(String line, byte[] message) {
        try (var peer = channel.connect(line)) {
            peer.send(message);
        }
    }

    @Override
    public void sendWithReply(String line, byte[] message) {
        try (var peer = channel.connect(line)) {
            peer.sendWithReply(message);
        }
    }

    @Override
    public byte[] answerNext() {
        Message question = channel.receive(Patience.LIMIT)
                .orElseThrow(() -> new AssertionError("no question within " + Patience.LIMIT));
        channel.reply(question, reversed(question.bytes()));
        return question.bytes();
    }

    /** What {@link #answerNext} answers. */
    static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    @Override
    public void sendSeries(String line, Payload payload, int count, int lengthBytes) {
        try (var peer = channel.connect(line)) {
            for (int i = 0; i < count; i++) {
                peer.send(payload.bytes(i, lengthBytes));
            }
        }
    }

    @Override
    public long firstWrong(Payload payload, int count, int lengthBytes) {
        for (int i = 0; i < count; i++) {
            if (!Arrays.equals(next(), payload.bytes(i, lengthBytes))) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void close() {
        channel.close();
    }
}
