/** Code shared by the providers of urma4j, such as id spaces and spin locks. Exported only to their modules. */
package io.urma4j.spi.support;
