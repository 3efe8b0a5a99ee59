package io.urma4j;

/**
 * Bytes or text that are not a valid descriptor: truncated, altered, or of a version that this library cannot read
 * (S1.4). The message says which.
 */
public final class DescriptorException extends UrmaException {
    private static final long serialVersionUID = 1L;

    public DescriptorException(String message) {
        super(UrmaStatus.EINVAL, "descriptor", message);
    }
}
