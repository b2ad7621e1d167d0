import Bytes
import EventLog
import HTTPLimits
import Logging
import Runtime

@testable import HTTPServer

#if canImport(Glibc)
    import Glibc
#endif

extension FuzzTarget {
    /// A server that speaks HTTP/2 without TLS, because its sessions need a reactor and sockets.
    private static let server: HTTPServer = {
        do {
            return try HTTPServer(
                HTTPServer.Ports(plain: ("127.0.0.1", 0), speaksHTTP2: true), reactors: [Reactor(label: "fuzz")],
                responder: FuzzResponder(), limits: ServerLimits(),
                log: EventLog(logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }))
        } catch {
            fatalError("no server: \(error)")
        }
    }()

    /// Sends frames after the preface, and reads until the server closes the connection.
    static func exchangeFrames(_ bytes: UnsafeRawBufferPointer) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(server.port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        check(result == 0, "no connection: \(errno)")
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let sent = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes
        // The socket takes all of it, because inputs are small.
        _ = send(socket, sent, sent.count, Int32(MSG_NOSIGNAL))
        shutdown(socket, Int32(SHUT_WR))
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat { count = recv(socket, &buffer, buffer.count, 0) } while count > 0
        check(count == 0 || errno == ECONNRESET, "the server keeps the connection")
    }
}

/// Answers at once, later or with a stream, by the first letter of the path.
private struct FuzzResponder: Responder {
    func reply(to request: Request) -> Reply {
        var response = Response(.ok)
        response.body = SharedBytes(String(repeating: "a", count: 40_000))
        let answer = response
        switch request.path.dropFirst().first {
        case UInt8(ascii: "p"):
            return .pending {
                await Task.yield()
                return answer
            }
        case UInt8(ascii: "s"): return .stream(ResponseStream(answer, heartbeat: StreamPiece(":\n")))
        default: return .ready(answer)
        }
    }

    func refusal(_ rejection: RequestError) -> Response { Response(rejection.status) }
}
