/** What our own providers share: numbers, short locks. Exported to our modules only. */
package io.urma4j.spi.support;
