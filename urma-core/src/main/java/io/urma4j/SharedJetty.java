package io.urma4j;

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

    /** The queue of a line, or the one that is published under {@code name:NAME}. */
    static SharedJetty find(UrmaContext context, String lineOrName) {
        String text = lineOrName.strip();
        boolean isName = text.startsWith(RemoteMemory.ANY_KIND)
                || text.startsWith(context.attributes().provider() + ":");
        return parse(isName ? PublishedAddress.read(context, RemoteMemory.nameIn(context, text)) : text);
    }
}
