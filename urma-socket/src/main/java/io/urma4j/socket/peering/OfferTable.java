package io.urma4j.socket.peering;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The offers of one process to one other, in memory of the process that makes them. An offer says from which port a TCP
 * connection will come, and where the ring of its client is. One word decides what becomes of it: the server takes it by a
 * compare-and-set, or the client withdraws it by one, so that both see the same.
 *
 * <pre>
 *  0  word: generation, and in the lowest byte FREE, OFFERED, TAKEN or REFUSED
 *  8  proof of the client          32  port of the client    48  address of the client, or zeros if any
 * 16  proof of the server          36  port of the server    64  address of the server
 * 24  ring of the client, an int   28  ring of the server    80  reason of a refusal, an int
 * </pre>
 */
final class OfferTable implements Offers {
    /** How an offer stands. */
    enum State {
        OFFERED,
        TAKEN,
        REFUSED
    }

    static final int COUNT = 1024;
    static final int PROBES = 8;
    static final int STRIDE = 128;

    /** The reason of a refusal: the server's rings have no memory left. */
    static final int NO_MEMORY = 1;

    /** The memory of a table. */
    static final long LENGTH_BYTES = (long) COUNT * STRIDE;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int FREE = 0;
    private static final int OFFERED = 1;
    private static final int TAKEN = 2;
    private static final int REFUSED = 3;
    private static final int STATE = 0xff;
    private static final int GENERATION = 0x100;

    private static final long CLIENT_PROOF = 8;
    static final long SERVER_PROOF = 16;
    private static final long CLIENT_RING = 24;
    private static final long SERVER_RING = 28;
    private static final long CLIENT_PORT = 32;
    private static final long SERVER_PORT = 36;
    private static final long CLIENT_ADDRESS = 48;
    private static final long SERVER_ADDRESS = 64;
    static final long REASON = 80;
    private static final int ADDRESS_BYTES = 16;

    private final MemorySegment memory;
    private final long[] words = new long[COUNT]; // what the client has stored last, whatever the memory says

    OfferTable(MemorySegment memory) {
        this.memory = memory;
    }

    /**
     * Offers a connection, from which time on a server may take it. For the client.
     *
     * @return its index, or −1 if too many ports of near numbers have offers
     */
    synchronized int make(InetSocketAddress client, InetSocketAddress server, long proof, int ring) {
        for (int probe = 0; probe < PROBES; probe++) {
            int index = index(client.getPort(), probe);
            if ((words[index] & STATE) == FREE) {
                long at = at(index);
                memory.set(ValueLayout.JAVA_LONG, at + CLIENT_PROOF, proof);
                memory.set(ValueLayout.JAVA_INT, at + CLIENT_RING, ring);
                memory.set(ValueLayout.JAVA_INT, at + CLIENT_PORT, client.getPort());
                memory.set(ValueLayout.JAVA_INT, at + SERVER_PORT, server.getPort());
                InetAddress from = client.getAddress();
                setAddress(at + CLIENT_ADDRESS, from.isAnyLocalAddress() ? new byte[ADDRESS_BYTES] : bytes(from));
                setAddress(at + SERVER_ADDRESS, bytes(server.getAddress()));
                words[index] += GENERATION | OFFERED;
                WORD.setRelease(memory, at, words[index]);
                return index;
            }
        }
        return -1;
    }

    /** How the offer stands; a word that makes no sense counts as refused. For the client, as all below that have an index. */
    State state(int index) {
        long seen = (long) WORD.getAcquire(memory, at(index));
        long offered = words[index];
        if (seen == offered) {
            return State.OFFERED;
        }
        return seen == offered - OFFERED + TAKEN ? State.TAKEN : State.REFUSED;
    }

    /** Takes the offer back, unless the server has decided. */
    boolean withdraw(int index) {
        long offered = words[index];
        return WORD.compareAndSet(memory, at(index), offered, offered - OFFERED + FREE);
    }

    long serversProof(int index) {
        return memory.get(ValueLayout.JAVA_LONG, at(index) + SERVER_PROOF);
    }

    int serversRing(int index) {
        return memory.get(ValueLayout.JAVA_INT, at(index) + SERVER_RING);
    }

    /** Why the server refused: {@link #NO_MEMORY}, or a number of a later version. */
    int reason(int index) {
        return memory.get(ValueLayout.JAVA_INT, at(index) + REASON);
    }

    /** The place can be used for another offer. */
    synchronized void free(int index) {
        words[index] = words[index] & ~STATE;
        WORD.setRelease(memory, at(index), words[index]);
    }

    @Override
    public @Nullable Offer find(InetSocketAddress client, InetSocketAddress server) {
        for (int probe = 0; probe < PROBES; probe++) {
            int index = index(client.getPort(), probe);
            long at = at(index);
            long word = (long) WORD.getAcquire(memory, at);
            if ((word & STATE) == OFFERED
                    && memory.get(ValueLayout.JAVA_INT, at + CLIENT_PORT) == client.getPort()
                    && memory.get(ValueLayout.JAVA_INT, at + SERVER_PORT) == server.getPort()
                    && covers(at + CLIENT_ADDRESS, client.getAddress(), true)
                    && covers(at + SERVER_ADDRESS, server.getAddress(), false)) {
                return new Offer(
                        index,
                        word,
                        memory.get(ValueLayout.JAVA_LONG, at + CLIENT_PROOF),
                        memory.get(ValueLayout.JAVA_INT, at + CLIENT_RING));
            }
        }
        return null;
    }

    @Override
    public boolean take(Offer offer, long proof, int ring) {
        long at = at(offer.index());
        memory.set(ValueLayout.JAVA_LONG, at + SERVER_PROOF, proof);
        memory.set(ValueLayout.JAVA_INT, at + SERVER_RING, ring);
        return WORD.compareAndSet(memory, at, offer.word(), taken(offer));
    }

    @Override
    public void refuse(Offer offer, int reason) {
        long at = at(offer.index());
        memory.set(ValueLayout.JAVA_INT, at + REASON, reason);
        WORD.compareAndSet(memory, at, offer.word(), refused(offer));
    }

    /** The word of an offer once the server has taken it. */
    static long taken(Offer offer) {
        return offer.word() - OFFERED + TAKEN;
    }

    /** The word of an offer once the server has refused it. */
    static long refused(Offer offer) {
        return offer.word() - OFFERED + REFUSED;
    }

    /** The offer that may be of a client's port, for a probe of 0 to {@link #PROBES}. */
    static int index(int port, int probe) {
        return (port + probe) % COUNT;
    }

    /** Where an offer lies in the memory of its table. */
    static long at(int index) {
        return (long) index * STRIDE;
    }

    private void setAddress(long at, byte[] address) {
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, at, ADDRESS_BYTES);
    }

    private boolean covers(long at, InetAddress address, boolean orAny) {
        byte[] seen = memory.asSlice(at, ADDRESS_BYTES).toArray(ValueLayout.JAVA_BYTE);
        return Arrays.equals(seen, bytes(address)) || orAny && Arrays.equals(seen, new byte[ADDRESS_BYTES]);
    }

    /** Of both families alike, since a socket of IPv6 also accepts connections of IPv4. */
    private static byte[] bytes(InetAddress address) {
        byte[] raw = address.getAddress();
        if (!(address instanceof Inet4Address)) {
            return raw;
        }
        byte[] mapped = new byte[ADDRESS_BYTES];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(raw, 0, mapped, 12, raw.length);
        return mapped;
    }
}
