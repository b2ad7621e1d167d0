import Glibc
import TLS

extension HTTPServer {
    /// The sockets of a server. `HTTPServer.init` takes ownership of passed sockets.
    package struct Ports {
        /// Address and port to bind. Nil: no address is bound without TLS.
        package var plain: (host: String, port: Int)?
        /// Sockets without TLS that already listen. If there are any, `plain` is not bound.
        package var sockets: [ListeningSocket] = []
        /// True if the ports without TLS also speak HTTP/2 to clients that begin with it.
        package var speaksHTTP2 = false
        /// The ports with TLS. Nil: there are none.
        package var secure: Secure?

        /// Ports with TLS.
        package struct Secure {
            package var host: String
            package var port: Int
            package var sockets: [ListeningSocket] = []
            package var identity: ServerIdentity

            package init(host: String, port: Int, sockets: [ListeningSocket] = [], identity: ServerIdentity) {
                (self.host, self.port, self.sockets, self.identity) = (host, port, sockets, identity)
            }
        }

        package init(
            plain: (host: String, port: Int)?, sockets: [ListeningSocket] = [], speaksHTTP2: Bool = false,
            secure: Secure? = nil
        ) {
            (self.plain, self.sockets, self.speaksHTTP2, self.secure) = (plain, sockets, speaksHTTP2, secure)
        }

        func listen() throws(ServerError) -> [(descriptor: Int32, identity: ServerIdentity?)] {
            var open: [(descriptor: Int32, identity: ServerIdentity?)] = sockets.map { ($0.descriptor, nil) }
            do throws(ServerError) {
                if open.isEmpty, let plain { open = [(try Address.listen(host: plain.host, port: plain.port), nil)] }
                guard let secure else { return open }
                let descriptors =
                    secure.sockets.isEmpty
                    ? [try Address.listen(host: secure.host, port: secure.port)] : secure.sockets.map(\.descriptor)
                return open + descriptors.map { ($0, secure.identity) }
            } catch {
                for each in open { Glibc.close(each.descriptor) }
                throw error
            }
        }
    }
}
