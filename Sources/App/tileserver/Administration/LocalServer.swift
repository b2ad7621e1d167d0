import Configuration
import Foundation
import TLS

/// A client for the server that runs on this machine with a given configuration. Sends one request at a time over a
/// socket that blocks. Speaks HTTPS if the server does, and accepts only the certificate in the server's file.
struct LocalServer {
    private let host: String
    private let port: Int
    /// The server's certificate. Nil: plain HTTP.
    private let certificate: CertificateFiles?

    private let timeoutSeconds: Int

    /// `seconds`: timeout for each step of a request.
    init(_ configuration: Configuration, seconds: Int = 5) {
        let server = configuration.server
        self.init(
            host: server.host, port: server.https?.port ?? server.ownPort, certificate: server.https?.certificate,
            seconds: seconds)
    }

    /// `host`: the address at which the server listens. An address for all interfaces is replaced by the loopback
    /// address.
    init(host: String, port: Int, certificate: CertificateFiles? = nil, seconds: Int = 5) {
        self.certificate = certificate
        self.host = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        self.port = port
        timeoutSeconds = seconds
    }

    /// The URL of the server for programs on this machine, without a slash at the end.
    var url: String { "\(certificate == nil ? "http" : "https")://\(name):\(port)" }

    /// The host in the form for a URL.
    private var name: String { host.contains(":") ? "[\(host)]" : host }

    /// Sends a request and returns the response. Throws if the response has `mostBytes` bytes or more. If the server
    /// refuses the content of the request, the response may come before the whole content is sent.
    func request(
        _ method: String, _ path: String, _ fields: [String], content: [UInt8] = [], mostBytes: Int = 1 << 20
    ) throws -> (status: Int, body: String) {
        let descriptor = try connect()
        defer { close(descriptor) }
        let length = method == "POST" ? ["Content-Length: \(content.count)"] : []
        let lines =
            ["\(method) \(path) HTTP/1.1", "Host: \(name):\(port)", "Connection: close"] + length + fields + ["", ""]
        let session = try session(on: descriptor)
        var rest = (Array(lines.joined(separator: "\r\n").utf8) + content)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                var vector = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                guard let session else { return send(descriptor, vector.iov_base, vector.iov_len, Int32(MSG_NOSIGNAL)) }
                return session.send(&vector, 1) ?? -1
            }
            guard sent > 0 else {
                if !content.isEmpty { break }
                throw failure("accepts no data")
            }
            rest = rest.dropFirst(sent)
        }
        let answer = try receive(mostBytes) { buffer in
            guard let session else { return recv(descriptor, buffer.baseAddress, buffer.count, 0) }
            switch session.receive(into: buffer) {
            case .bytes(let count, _): return count
            case .end: return 0
            case .wouldBlock, .broken: return -1
            }
        }
        return try parse(answer)
    }

    /// Makes a TLS session with the server. Returns nil for a server with plain HTTP.
    private func session(on descriptor: Int32) throws -> TLSSession? {
        guard let certificate else { return nil }
        let chain: String
        do throws(CertificateFileError) {
            chain = try CertificateFiles.certificates(at: certificate.certificate)
        } catch {
            throw CommandError("\(error)")
        }
        guard let session = TLSSession(descriptor: descriptor, expecting: chain) else {
            throw failure("cannot be asked: TLS cannot be started")
        }
        switch session.advanceHandshake() {
        case .done: return session
        case .waits: throw failure("did not answer in time")
        case .plainHTTP, .failed:
            throw failure(
                "does not show the certificate in \(certificate.certificate); "
                    + "if this path is new, send SIGHUP to the server")
        }
    }

    /// Sends a request to an admin route, with the token of the server that runs with `configuration`. Returns the body
    /// of the response. Throws if the status is not 200.
    func administer(
        _ method: String, _ path: String, _ configuration: Configuration, content: [UInt8] = []
    ) throws -> String {
        let token = try FoundToken(configuration)
        let answer = try token.answer { try request(method, path, $0, content: content) }
        guard answer.status == 200 else {
            let refusal = ServerRefusal(status: answer.status, body: answer.body).text(configuration, path: path)
            throw CommandError(answer.status == 401 ? "\(refusal) \(token.reason(at: url))" : refusal)
        }
        return answer.body
    }

    private func connect() throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else { throw CommandError("\(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(found) }
        var candidate = found
        while let info = candidate?.pointee {
            let descriptor = socket(info.ai_family, info.ai_socktype, 0)
            if descriptor >= 0 {
                var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
                for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                    setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
                }
                if Foundation.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return descriptor }
                close(descriptor)
            }
            candidate = info.ai_next
        }
        throw failure("does not answer")
    }

    /// Receives until the server closes. `receive` returns the number of bytes, 0 at the end, or less on failure.
    private func receive(
        _ mostBytes: Int, _ receive: (UnsafeMutableRawBufferPointer) -> Int
    ) throws -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while answer.count < mostBytes {
            let count = buffer.withUnsafeMutableBytes(receive)
            if count == 0 { return answer }
            guard count > 0 else { throw failure("did not answer in time") }
            answer += buffer[..<count]
        }
        throw failure("sends an endless response")
    }

    private func parse(_ answer: [UInt8]) throws -> (status: Int, body: String) {
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix(64).split(separator: " ")
        guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]),
            let end = text.range(of: "\r\n\r\n")
        else { throw failure("is not a tileserver") }
        return (status, String(text[end.upperBound...]))
    }

    private func failure(_ what: String) -> CommandError {
        CommandError("the server at \(host):\(port) \(what)")
    }
}
