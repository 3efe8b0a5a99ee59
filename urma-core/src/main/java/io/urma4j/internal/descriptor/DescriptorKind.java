package io.urma4j.internal.descriptor;

import static io.urma4j.internal.descriptor.DescriptorField.ACCESS;
import static io.urma4j.internal.descriptor.DescriptorField.CAPABILITIES;
import static io.urma4j.internal.descriptor.DescriptorField.EID;
import static io.urma4j.internal.descriptor.DescriptorField.ENDPOINT;
import static io.urma4j.internal.descriptor.DescriptorField.GENERATION;
import static io.urma4j.internal.descriptor.DescriptorField.IMPORT_NUMBER;
import static io.urma4j.internal.descriptor.DescriptorField.INCARNATION;
import static io.urma4j.internal.descriptor.DescriptorField.LENGTH;
import static io.urma4j.internal.descriptor.DescriptorField.MEMORY_KIND;
import static io.urma4j.internal.descriptor.DescriptorField.MODE;
import static io.urma4j.internal.descriptor.DescriptorField.OFFSET;
import static io.urma4j.internal.descriptor.DescriptorField.ORDER_TYPE;
import static io.urma4j.internal.descriptor.DescriptorField.PEER_ID;
import static io.urma4j.internal.descriptor.DescriptorField.POLICY;
import static io.urma4j.internal.descriptor.DescriptorField.QUEUE_ID;
import static io.urma4j.internal.descriptor.DescriptorField.QUEUE_KIND;
import static io.urma4j.internal.descriptor.DescriptorField.REMOTE_BUFS;
import static io.urma4j.internal.descriptor.DescriptorField.SLOT;
import static io.urma4j.internal.descriptor.DescriptorField.TOKEN;
import static io.urma4j.internal.descriptor.DescriptorField.TOKEN_ID;
import static io.urma4j.internal.descriptor.DescriptorField.UASID;
import static io.urma4j.internal.descriptor.DescriptorField.WINDOWS_HOME;
import static io.urma4j.internal.descriptor.DescriptorField.WINDOWS_ONLY;

import io.urma4j.DescriptorException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a descriptor describes: its number in the binary form, its word in the text form, and its fields. */
public enum DescriptorKind {
    SEGMENT(
            1,
            "segment",
            EnumSet.of(
                    EID,
                    UASID,
                    INCARNATION,
                    POLICY,
                    ENDPOINT,
                    TOKEN_ID,
                    LENGTH,
                    ACCESS,
                    CAPABILITIES,
                    MEMORY_KIND,
                    WINDOWS_ONLY)),
    JETTY(2, "jetty", EnumSet.of(EID, UASID, INCARNATION, POLICY, ENDPOINT, QUEUE_ID, QUEUE_KIND, MODE, ORDER_TYPE)),
    /** A segment together with its token. */
    SHARED_SEGMENT(3, "shared-segment", withToken(SEGMENT)),
    /** A Jetty or JFR together with its token. */
    SHARED_JETTY(4, "shared-jetty", withToken(JETTY)),
    /** A window of a segment, for one of its importers. */
    WINDOW(5, "window", EnumSet.of(IMPORT_NUMBER, SLOT, GENERATION, OFFSET, LENGTH, ACCESS)),
    /** Memory that is exported to a peer, with all that its imports need. */
    REMOTE_BUF(6, "remote-buf", EnumSet.of(WINDOWS_HOME, REMOTE_BUFS)),
    /** Several of these. */
    REMOTE_BUF_LIST(7, "remote-bufs", EnumSet.of(WINDOWS_HOME, REMOTE_BUFS)),
    /** The identities of the contexts of a process. */
    PEER(8, "peer", EnumSet.of(PEER_ID));

    /** In the binary form. */
    final int number;

    /** In the text form and in messages. */
    final String word;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable, which the type cannot say
    private final Set<DescriptorField> fields;

    DescriptorKind(int number, String word, Set<DescriptorField> fields) {
        this.number = number;
        this.word = word;
        this.fields = Collections.unmodifiableSet(fields);
    }

    private static Set<DescriptorField> withToken(DescriptorKind bare) {
        Set<DescriptorField> fields = EnumSet.copyOf(bare.fields);
        fields.add(TOKEN);
        return fields;
    }

    /** The fields that a descriptor of this kind has, each once; {@link DescriptorField} tells which may repeat or be missing. */
    Set<DescriptorField> fields() {
        return fields;
    }

    /** The field with that tag; null for an unknown one, which a reader skips. Refuses an unknown field that is critical. */
    @Nullable
    DescriptorField field(int tag) {
        for (DescriptorField field : DescriptorField.ALL) {
            if (field.tag == tag && fields.contains(field)) {
                return field;
            }
        }
        if ((tag & DescriptorField.CRITICAL_BIT) != 0) {
            throw new DescriptorException(
                    "field 0x" + Integer.toHexString(tag) + " is critical, but unknown to this version of the library");
        }
        return null;
    }

    /** How a line with a descriptor of this kind begins. */
    String prefix() {
        return "urma4j:" + word + ":1:";
    }
}
