import Glibc
import HTTPLimits
import Runtime
import TLS
import TestSupport
import TestTLS
import TestUpstream

@testable import HTTPServer

/// A server with a port for TLS, and its certificate.
struct SecureServer: Sendable {
    let running: RunningServer
    let certificate: TestCertificate
    let chain: String
    let identity: ServerIdentity

    var server: HTTPServer { running.server }
    var port: Int { running.server.securePort ?? 0 }
    var counts: HandshakeCounts { running.server.handshakes }

    /// Connects a client and completes its handshake.
    func client(timeout: Double = Patience.seconds, receiveBuffer: Int32? = nil) throws -> TLSClient {
        try TLSClient(port: port, expecting: chain, timeout: timeout, receiveBuffer: receiveBuffer)
    }

    /// Connects a client without TLS to the port for TLS.
    func rawClient() throws -> RawClient { try RawClient(port: port) }

    /// Runs `openssl s_client`, which sends `request`.
    func openssl(_ request: String, _ options: String...) throws -> OpenSSLClient {
        try OpenSSLClient(port: port, options, input: request, seconds: Patience.seconds)
    }

    /// Number of connections that are in their handshake.
    var handshaking: Int {
        server.workers.indices.reduce(0) { sum, index in
            sum + (running.onReactor(index) { $0.connections.values.count { $0.isHandshaking } } ?? 0)
        }
    }

    /// Makes the kernel's send buffers of all connections as small as possible.
    func shrinkSendBuffers() {
        for index in server.workers.indices {
            _ = running.onReactor(index) { worker in
                for connection in worker.connections.values {
                    var size: Int32 = 4_608
                    setsockopt(
                        connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
            }
        }
    }
}

/// The beginning of a handshake: the head of a record, and the head of a message that does not come.
let halfHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1]

/// Runs `body` with a server that has a port for TLS, and stops the server afterwards. With `hasPlainPort`, the server
/// has a port without TLS too. `chainCopies` is how often the certificate is repeated behind itself.
func withSecureServer(
    reactors: Int = 1, memory: Int = .max, hasPlainPort: Bool = false, chainCopies: Int = 0,
    _ change: (inout ServerLimits) -> Void = { _ in }, _ body: (SecureServer) async throws -> Void
) async throws {
    let certificate = try TestCertificate(names: ["localhost"])
    let chain = try certificate.chain
    let path = try certificate.file("chain.pem", String(repeating: chain, count: 1 + chainCopies))
    let pair = CertificateFiles(certificate: path, key: certificate.key)
    let identity = ServerIdentity(try TLSContext([pair], tickets: TLSTickets()))
    let ports = HTTPServer.Ports(
        plain: hasPlainPort ? ("127.0.0.1", 0) : nil, secure: .init(host: "127.0.0.1", port: 0, identity: identity))
    try await withServer(reactors: reactors, memory: memory, ports: ports, change) { running in
        try await body(SecureServer(running: running, certificate: certificate, chain: chain, identity: identity))
    }
}
