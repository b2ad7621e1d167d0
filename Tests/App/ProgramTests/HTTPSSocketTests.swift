import Foundation
import Glibc
import TestSupport
import TestTLS
import TestUpstream
import Testing

/// Tests of listening sockets that a service manager passes for HTTPS.
@Suite(.blocking) struct HTTPSSocketTests {
    private let pair: TestCertificate

    init() throws { pair = try TestCertificate(names: ["tiles.example"]) }

    /// Opens a listening socket on a free port of this machine.
    private func listener() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(listens)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func configuration(_ https: String) -> String {
        // A server without passed sockets could not bind this address.
        "server: { host: 192.0.2.1, port: 1, reactors: 1\(https) }\nlayers: { a: { generator: grid } }"
    }

    private func https(_ more: String = "") -> String {
        ", https: { certificate: \(pair.certificate), key: \(pair.key)\(more) }"
    }

    @Test func servesTLSOnASocketWithTheNameHTTPS() throws {
        let (descriptor, port) = try listener()
        defer { close(descriptor) }
        let program = try Program(
            ["serve"], configuration: configuration(https()), environment: ["LISTEN_FDNAMES": "https"],
            socket: descriptor)
        let line = program.lines(of: program.output) { _ in true }.first ?? ""
        #expect(line.contains("https://127.0.0.1:\(port)/"), "\(line)")
        #expect(try TLSClient(port: port, expecting: pair.chain).get("/a/0/0/0.png").status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }
}
