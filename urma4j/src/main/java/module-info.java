/**
 * All of urma4j by one name: the API in {@code io.urma4j.core}, and the providers of shared memory and of networks. A program
 * requires this module alone, and gives the JVM {@code --enable-native-access=io.urma4j.libc}.
 */
module io.urma4j {
    requires transitive io.urma4j.core;
    // found through the SPI; required, so that they are resolved, and linked into an image, without being named
    requires io.urma4j.shm;
    requires io.urma4j.udma;
}
