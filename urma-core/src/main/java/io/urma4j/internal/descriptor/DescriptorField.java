package io.urma4j.internal.descriptor;

import io.urma4j.Access;
import io.urma4j.OrderType;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.WindowKey;
import java.util.Locale;

/**
 * The fields of version 1 of the binary form. A number is never used again for something else.
 *
 * <p>The top bit of a tag says that a reader must refuse the descriptor if it does not know the field; others are skipped.
 */
public enum DescriptorField {
    EID(0x8001, 16),
    UASID(0x8002, 4),
    INCARNATION(0x8003, 8),
    /** {@link TokenPolicy#value}. */
    POLICY(0x8004, 1),
    /** Once per endpoint, best first. See {@link DescriptorCodec}. */
    ENDPOINT(0x8005, 0),
    /** The secret; in shared forms alone. */
    TOKEN(0x8006, 4),

    TOKEN_ID(0x8010, 4),
    LENGTH(0x8011, 8),
    /** {@link Access#mask}. */
    ACCESS(0x8012, 1),
    /** Bits: 1 one-sided, 2 mappable, 4 atomics. */
    CAPABILITIES(0x8013, 1),
    /** 0 host, 1 device. */
    MEMORY_KIND(0x8014, 1),
    /** 1; there only if an import opens nothing but windows. Earlier versions refuse such a descriptor. */
    WINDOWS_ONLY(0x8015, 1),

    QUEUE_ID(0x8020, 4),
    /** 0 JFR, 1 Jetty, 2 group. */
    QUEUE_KIND(0x8021, 1),
    /** {@link TransportMode#value}. */
    MODE(0x8022, 1),
    /** {@link OrderType#value}. */
    ORDER_TYPE(0x8023, 1),

    /** {@link WindowKey#importNumber}. */
    IMPORT_NUMBER(0x8030, 8),
    SLOT(0x8031, 4),
    GENERATION(0x8032, 8),
    OFFSET(0x8033, 8),

    /** How one device of a home reaches a segment; once per segment. See {@code RemoteBufCodec}. */
    WINDOWS_HOME(0x8040, 0),
    /** The remote buffers, in their order. See {@code RemoteBufCodec}. */
    REMOTE_BUFS(0x8041, 0),

    /** Once per context of a process. See {@code Peer}. */
    PEER_ID(0x8050, 0);

    /** All, for loops without garbage. */
    @SuppressWarnings({"ImmutableEnumChecker", "MutablePublicArray"}) // of this package, which does not write it
    static final DescriptorField[] ALL = values();

    static final int CRITICAL_BIT = 0x8000;

    final int tag;

    /** Bytes of the value; 0 when they vary. */
    final int lengthBytes;

    DescriptorField(int tag, int lengthBytes) {
        this.tag = tag;
        this.lengthBytes = lengthBytes;
    }

    boolean mayRepeat() {
        return this == ENDPOINT || this == WINDOWS_HOME || this == PEER_ID;
    }

    boolean mayBeMissing() {
        return this == ENDPOINT || this == WINDOWS_ONLY || this == WINDOWS_HOME;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
