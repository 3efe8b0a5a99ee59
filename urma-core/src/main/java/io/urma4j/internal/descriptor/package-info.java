/**
 * Descriptors as bytes and as lines of text: {@code DescriptorCodec} first, then frame, fields and text. Nothing here opens or
 * imports anything.
 */
package io.urma4j.internal.descriptor;
