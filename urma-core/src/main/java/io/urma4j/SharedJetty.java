package io.urma4j;

import io.urma4j.internal.descriptor.DescriptorCodec;

/**
 * A Jetty's or JFR's descriptor together with its token, as one line for any side channel.
 *
 * <p>The line contains the secret, which only {@link #toLine()} shows; {@code toString} does not.
 */
public record SharedJetty(JettyDescriptor descriptor, Token token) {
    /** One line without blanks, checksummed; holds the token. */
    public String toLine() {
        return DescriptorCodec.toLine(this);
    }

    /**
     * Parses what {@link #toLine} wrote; surrounding blanks are ignored.
     *
     * @throws DescriptorException if any character was changed
     */
    public static SharedJetty parse(String line) {
        return DescriptorCodec.parseSharedJetty(line);
    }
}
