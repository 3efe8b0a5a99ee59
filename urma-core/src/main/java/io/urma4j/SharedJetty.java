package io.urma4j;

import io.urma4j.internal.descriptor.DescriptorCodec;

/**
 * A Jetty's or JFR's descriptor together with its token, as one line for any side channel.
 *
 * <p>The line holds the secret. {@code toString} does not; {@link #toLine()} is the only way to it.
 */
public record SharedJetty(JettyDescriptor descriptor, Token token) {
    /** One line without blanks, checksummed; holds the token. */
    public String toLine() {
        return DescriptorCodec.toLine(this);
    }

    /**
     * Reads what {@link #toLine} wrote; blanks around it are ignored.
     *
     * @throws DescriptorException when any character is not as it was written
     */
    public static SharedJetty parse(String line) {
        return DescriptorCodec.parseSharedJetty(line);
    }
}
