package io.urma4j.tck;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Copies of the library's classes that report when they pass a {@link FaultPlace}; the library itself knows nothing of it. */
public final class FaultClasses {
    private static final ClassDesc FAULT_POINTS = ClassDesc.of(FaultPoints.class.getName());
    private static final MethodTypeDesc OF_NAME = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private FaultClasses() {}

    /**
     * Writes them below {@code directory}, which belongs at the front of a victim's class path.
     *
     * @param loader finds the classes
     * @throws AssertionError if a place is not there any more
     */
    public static void write(Path directory, Collection<FaultPlace> places, ClassLoader loader) throws IOException {
        Map<String, List<FaultPlace>> classes =
                places.stream().collect(Collectors.groupingBy(FaultPlace::internalClass));
        for (Map.Entry<String, List<FaultPlace>> one : classes.entrySet()) {
            Path file = directory.resolve(one.getKey() + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, instrumented(bytesOf(one.getKey(), loader), one.getValue()));
        }
    }

    private static byte[] instrumented(byte[] original, List<FaultPlace> places) {
        ClassFile classFile = ClassFile.of();
        ClassModel model = classFile.parse(original);
        ClassTransform all = ClassTransform.ACCEPT_ALL;
        for (FaultPlace place : places) {
            if (model.methods().stream().noneMatch(method -> method.methodName().equalsString(place.method()))) {
                throw new AssertionError(place + " is not there any more");
            }
            all = all.andThen(ClassTransform.transformingMethodBodies(
                    method -> method.methodName().equalsString(place.method()), new Reports(place)));
        }
        return classFile.transformClass(model, all);
    }

    private static byte[] bytesOf(String internalClass, ClassLoader loader) throws IOException {
        try (InputStream in = loader.getResourceAsStream(internalClass + ".class")) {
            if (in == null) {
                throw new AssertionError("no class " + internalClass);
            }
            return in.readAllBytes();
        }
    }

    /** Puts a call before the first instruction of a method. */
    private record Reports(FaultPlace place) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            code.loadConstant(place.name()).invokestatic(FAULT_POINTS, "reached", OF_NAME);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
