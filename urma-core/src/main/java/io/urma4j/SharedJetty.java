package io.urma4j;

import io.urma4j.internal.PublishedNames;
import io.urma4j.internal.descriptor.DescriptorCodec;
import io.urma4j.internal.message.PublishedAddress;

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

    /** What a line says, or the one that is published under {@code name:NAME}. */
    static SharedJetty find(UrmaContext context, String lineOrName) {
        String text = lineOrName.strip();
        boolean isName = text.startsWith(PublishedNames.ANY_KIND)
                || text.startsWith(context.attributes().provider() + ":");
        return parse(
                isName
                        ? PublishedAddress.read(
                                context,
                                PublishedNames.in(
                                        text, context, context.attributes().provider()))
                        : text);
    }
}
