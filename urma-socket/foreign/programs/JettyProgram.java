import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** Jetty's server. */
final class JettyProgram {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                String path = Request.getPathInContext(request);
                ByteBuffer body = path.equals("/echo")
                        ? Content.Source.asByteBuffer(request)
                        : ByteBuffer.wrap(Calls.bytes(Calls.length(path)));
                response.setStatus(200);
                response.write(true, body, callback);
                return true;
            }
        });
        server.start();
        Served.until(((ServerConnector) server.getConnectors()[0]).getLocalPort(), server::stop);
    }
}
