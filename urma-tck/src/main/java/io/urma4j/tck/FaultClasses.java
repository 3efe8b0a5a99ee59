package io.urma4j.shm.crash;

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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Copies of the library's classes that report when they pass a {@link FaultPoint}. */
final class FaultClasses {
    private static final ClassDesc FAULT_POINTS = ClassDesc.of(FaultPoints.class.getName());
    private static final MethodTypeDesc OF_NAME = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private FaultClasses() {}

    /** Writes them below {@code directory}, which belongs at the front of a victim's class path. */
    static void write(Path directory) throws IOException {
        Map<String, List<FaultPoint>> classes =
                Arrays.stream(FaultPoint.values()).collect(Collectors.groupingBy(point -> point.internalClass));
        for (Map.Entry<String, List<FaultPoint>> one : classes.entrySet()) {
            Path file = directory.resolve(one.getKey() + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, instrumented(one.getKey(), one.getValue()));
        }
    }

    private static byte[] instrumented(String internalClass, List<FaultPoint> points) throws IOException {
        ClassFile classFile = ClassFile.of();
        ClassModel model = classFile.parse(bytesOf(internalClass));
        for (FaultPoint point : points) {
            if (model.methods().stream().noneMatch(method -> method.methodName().equalsString(point.method))) {
                throw new AssertionError(
                        point + " is not there any more: " + internalClass + " has no method " + point.method);
            }
        }
        ClassTransform all = ClassTransform.ACCEPT_ALL;
        for (FaultPoint point : points) {
            all = all.andThen(ClassTransform.transformingMethodBodies(
                    method -> method.methodName().equalsString(point.method), new SaysThatItComesBy(point)));
        }
        return classFile.transformClass(model, all);
    }

    private static byte[] bytesOf(String internalClass) throws IOException {
        try (InputStream in = FaultClasses.class.getResourceAsStream("/" + internalClass + ".class")) {
            if (in == null) {
                throw new AssertionError("no class " + internalClass);
            }
            return in.readAllBytes();
        }
    }

    /** Puts a call before the first instruction of a method. */
    private record SaysThatItComesBy(FaultPoint point) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder code) {
            code.loadConstant(point.name()).invokestatic(FAULT_POINTS, "reached", OF_NAME);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
