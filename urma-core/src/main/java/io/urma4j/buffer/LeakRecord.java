package io.urma4j.buffer;

import java.time.Duration;
import java.util.Optional;

/**
 * A handle that was garbage-collected without having been closed.
 *
 * @param buffer describes the buffer
 * @param age from acquiring the handle to the report
 * @param acquired has the stack that acquired it, if the level records stacks
 */
public record LeakRecord(String buffer, long lengthBytes, Duration age, Optional<Throwable> acquired) {}
