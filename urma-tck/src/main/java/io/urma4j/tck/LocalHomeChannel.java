package io.urma4j.tck;

import io.urma4j.MessageChannel;

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
}
