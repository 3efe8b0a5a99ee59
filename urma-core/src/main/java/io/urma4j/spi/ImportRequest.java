package io.urma4j.spi;

import io.urma4j.Access;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The segment to import, and the requested access.
 *
 * @param access of the importer; at most what the descriptor offers
 * @param timeout after which the future fails with ETIMEOUT
 */
public record ImportRequest(
        SegmentDescriptor descriptor, @Nullable Token token, Access access, Duration timeout) {}
