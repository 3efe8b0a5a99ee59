/**
 * All of urma4j as one module: the API in {@code io.urma4j.core}, and the providers for shared memory and networks. A program
 * requires only this module, and passes {@code --enable-native-access=io.urma4j.libc} to the JVM.
 */
module io.urma4j {
    requires transitive io.urma4j.core;
    // found through the SPI; required, so that they are resolved and linked into an image
    requires io.urma4j.shm;
    requires io.urma4j.udma;
}
