/**
 * A block store whose server reads and writes its clients' memory. In reading order: {@code Request} and {@code Reply}, {@code
 * BlockServer} with {@code Session} and {@code BlockService}, and {@code BlockClient} with {@code Connections}.
 */
@NullMarked
package io.urma4j.examples.blockstore;

import org.jspecify.annotations.NullMarked;
