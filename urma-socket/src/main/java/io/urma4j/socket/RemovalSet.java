package io.urma4j.socket;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Set;

/** A view of a set, from which elements can be removed, and to which none can be added. */
final class RemovalSet<E> extends AbstractSet<E> {
    private final Set<E> elements;

    RemovalSet(Set<E> elements) {
        this.elements = elements;
    }

    @Override
    public Iterator<E> iterator() {
        return elements.iterator();
    }

    @Override
    public int size() {
        return elements.size();
    }

    @Override
    public boolean contains(Object element) {
        return elements.contains(element);
    }

    @Override
    public boolean remove(Object element) {
        return elements.remove(element);
    }

    @Override
    public void clear() {
        elements.clear();
    }

    @Override
    public boolean addAll(Collection<? extends E> more) {
        throw new UnsupportedOperationException();
    }
}
