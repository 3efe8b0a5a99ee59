package io.urma4j.libc;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Initializes every class of the module anew, in a class loader of its own, and records what {@link Linkage} links there:
 * the loader puts {@link #downcallHandle} in the place of the linker's method of this name.
 */
public final class LinkRecorder {
    private static final List<Downcall> RECORDED = new ArrayList<>();

    private LinkRecorder() {}

    /** What the linker was asked for. */
    record Downcall(FunctionDescriptor descriptor, List<Linker.Option> options) {}

    /** Each downcall that the module links, in the order of linking. */
    static synchronized List<Downcall> record() throws Exception {
        RECORDED.clear();
        Path classes = classes();
        ClassLoader loader = new Loader(classes);
        try (Stream<Path> files = Files.walk(classes)) {
            List<String> names = files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && file.contains("/"))
                    .filter(file -> !file.endsWith("package-info.class"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .toList();
            for (String name : names) {
                Class.forName(name, true, loader);
            }
        }
        return List.copyOf(RECORDED);
    }

    /** Called by the changed {@link Linkage}, which is another class than the one that this class sees. */
    @SuppressWarnings("restricted") // passes on the one call that links native code
    public static MethodHandle downcallHandle(
            Linker linker, MemorySegment address, FunctionDescriptor descriptor, Linker.Option... options) {
        RECORDED.add(new Downcall(descriptor, List.of(options)));
        return linker.downcallHandle(address, descriptor, options);
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(Linkage.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static final class Loader extends ClassLoader {
        private final Path classes;

        Loader(Path classes) {
            super(LinkRecorder.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                Path file = classes.resolve(name.replace('.', '/') + ".class");
                if (!Files.exists(file)) {
                    return super.loadClass(name, resolve);
                }
                byte[] bytes = recording(file);
                return defineClass(name, bytes, 0, bytes.length);
            }
        }

        private static byte[] recording(Path file) throws ClassNotFoundException {
            CodeTransform replace = (code, element) -> {
                if (element instanceof InvokeInstruction call && call.name().equalsString("downcallHandle")) {
                    MethodTypeDesc type =
                            call.typeSymbol().insertParameterTypes(0, ClassDesc.of(Linker.class.getName()));
                    code.invokestatic(ClassDesc.of(LinkRecorder.class.getName()), "downcallHandle", type);
                } else {
                    code.with(element);
                }
            };
            try {
                ClassFile format = ClassFile.of();
                return format.transformClass(format.parse(file), ClassTransform.transformingMethodBodies(replace));
            } catch (IOException e) {
                throw new ClassNotFoundException(file.toString(), e);
            }
        }
    }
}
