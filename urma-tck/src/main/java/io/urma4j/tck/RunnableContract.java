package io.urma4j.tck;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.annotation.Annotation;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes of a contract, which is abstract, a class that JUnit can run on a device: the few lines that a test
 * module could have, {@code @InOneProcess class Segments extends SegmentsContract { Segments() { super("shm0"); } }},
 * for devices that are known only when the suite starts.
 */
public final class RunnableContract {
    private static final Map<String, Class<? extends Contract>> MADE = new ConcurrentHashMap<>();

    private RunnableContract() {}

    /**
     * The class for one contract, device and place of the home; the same one each time.
     *
     * @param place {@link InOneProcess} or {@link AcrossProcesses}
     */
    public static Class<? extends Contract> of(
            Class<? extends Contract> contract, String device, Class<? extends Annotation> place) {
        String name = contract.getName() + "_" + place.getSimpleName() + "_" + Integer.toHexString(device.hashCode());
        return MADE.computeIfAbsent(name, any -> make(name, contract, device, place));
    }

    private static Class<? extends Contract> make(
            String name, Class<? extends Contract> contract, String device, Class<? extends Annotation> place) {
        ClassDesc parent = contract.describeConstable().orElseThrow();
        byte[] bytes = ClassFile.of()
                .build(
                        ClassDesc.of(name),
                        type -> type.withFlags(ACC_PUBLIC | ACC_FINAL)
                                .withSuperclass(parent)
                                .with(RuntimeVisibleAnnotationsAttribute.of(java.lang.classfile.Annotation.of(
                                        place.describeConstable().orElseThrow())))
                                .withMethodBody(
                                        INIT_NAME,
                                        MTD_void,
                                        ACC_PUBLIC,
                                        code -> code.aload(0)
                                                .ldc(device)
                                                .invokespecial(parent, INIT_NAME, MethodTypeDesc.of(CD_void, CD_String))
                                                .return_()));
        try {
            return MethodHandles.lookup().defineClass(bytes).asSubclass(Contract.class);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("no class can be made of " + contract.getName(), e);
        }
    }
}
