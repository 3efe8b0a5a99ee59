package io.urma4j.internal.inspect;

import io.urma4j.ContextView;
import io.urma4j.PublishedName;
import io.urma4j.Resource;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Await;
import io.urma4j.internal.ContextLife;
import io.urma4j.internal.PublishedNames;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderContext.NamedSegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** What a context finds of others: published names, and what other contexts have. Each call blocks at most its timeout. */
public final class Discovery {
    private final String context;
    private final ProviderContext provider;
    private final PerfMeter meter;
    private final Duration timeout;
    private final ContextLife closing;

    /** The refusals name {@code context}. */
    public Discovery(String context, ProviderContext provider, PerfMeter meter, Duration timeout, ContextLife closing) {
        this.context = context;
        this.provider = provider;
        this.meter = meter;
        this.timeout = timeout;
        this.closing = closing;
    }

    /** The segment that has the name; EINVAL when it is no name, or nothing has it. */
    public NamedSegment find(String publishedName) {
        closing.checkOpen();
        String checked = PublishedNames.checked(context, publishedName);
        return meter.timed(PerfStage.LOOKUP, () -> Await.result(context, provider.lookup(checked, timeout)));
    }

    /** The same with its token; ENOPERM if it was published without. */
    public SharedSegment findShared(String publishedName) {
        NamedSegment found = find(publishedName);
        Token token = found.token();
        if (token == null) {
            throw new UrmaException(
                    UrmaStatus.ENOPERM,
                    context,
                    "'" + publishedName + "' was published without its token; is it a region?");
        }
        return new SharedSegment(found.descriptor(), token);
    }

    public List<PublishedName> names() {
        closing.checkOpen();
        return Await.result(context, provider.published(timeout)).stream()
                .map(found -> new PublishedName(found.name(), found.descriptor(), found.home(), found.users()))
                .toList();
    }

    /** What other contexts have of these kinds. */
    public List<ContextView> inspect(Set<Resource.Kind> kinds) {
        closing.checkOpen();
        return Await.result(context, provider.inspect(kinds, timeout));
    }

    /** Has other contexts take the times of their steps, or end that. */
    public List<ContextView> measure(boolean on, OptionalLong pid) {
        closing.checkOpen();
        return Await.result(context, provider.measure(on, pid, timeout));
    }
}
