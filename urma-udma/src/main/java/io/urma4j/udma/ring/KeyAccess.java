package io.urma4j.udma.ring;

/** What a key allows peers to do: bits that commands, keys and the transport share. */
public final class KeyAccess {
    public static final int READ = 1;
    public static final int WRITE = 2;
    public static final int ATOMIC = 4;

    private KeyAccess() {}
}
