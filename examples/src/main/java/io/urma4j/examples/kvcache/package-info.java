/**
 * A key-value cache of a language model, whose blocks one process fills and another fetches. In reading order: {@code KvCache} is the
 * command and the decoder's process, {@code Decoder} fetches and verifies by its {@code Fetcher}, {@code Producer} fills {@code
 * LayerCache}s, and {@code Link} has the messages of both, {@code Request}s.
 */
@NullMarked
package io.urma4j.examples.kvcache;

import org.jspecify.annotations.NullMarked;
