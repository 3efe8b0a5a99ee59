import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat, embedded, with its NIO connector. */
final class TomcatProgram {
    public static void main(String[] arguments) throws Exception {
        Path base = Files.createTempDirectory("tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "calls", new Servlet());
        context.addServletMappingDecoded("/*", "calls");
        tomcat.start();
        Served.until(connector.getLocalPort(), () -> {
            tomcat.stop();
            tomcat.destroy();
            Folders.delete(base);
        });
    }

    private static final class Servlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, request.getInputStream().readAllBytes());
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Calls.bytes(Calls.length(request.getRequestURI())));
        }

        private static void answer(HttpServletResponse response, byte[] body) throws IOException {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }
}
