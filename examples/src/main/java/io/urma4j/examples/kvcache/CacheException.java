package io.urma4j.examples.kvcache;

/** The other side is gone, or breaks the protocol. */
final class CacheException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CacheException(String message) {
        super(message);
    }
}
