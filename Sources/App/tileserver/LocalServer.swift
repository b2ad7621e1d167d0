import Configuration
import Foundation

/// A client for the server that runs on this machine with a given configuration. Sends one request at a time over a
/// socket that blocks.
struct LocalServer {
    private let host: String
    private let port: Int

    private let timeoutSeconds: Int

    /// `seconds`: timeout for each step of a request.
    init(_ configuration: Configuration, seconds: Int = 5) {
        self.init(host: configuration.server.host, port: configuration.server.port, seconds: seconds)
    }

    /// `host`: the address at which the server listens. An address for all interfaces is replaced by the loopback
    /// address.
    init(host: String, port: Int, seconds: Int = 5) {
        self.host = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        self.port = port
        timeoutSeconds = seconds
    }

    /// The URL of the server for programs on this machine, without a slash at the end.
    var url: String { "http://\(name):\(port)" }

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
        var rest = (Array(lines.joined(separator: "\r\n").utf8) + content)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else {
                if !content.isEmpty { break }
                throw failure("accepts no data")
            }
            rest = rest.dropFirst(sent)
        }
        return try parse(try receive(descriptor, mostBytes))
    }

    /// Sends a request to an admin route, with the token of the server that runs with `configuration`. Returns the body
    /// of the response. Throws if the status is not 200.
    func administer(
        _ method: String, _ path: String, _ configuration: Configuration, content: [UInt8] = []
    ) throws -> String {
        let token = try FoundToken(configuration)
        let answer = try token.answer { try request(method, path, $0, content: content) }
        guard answer.status == 200 else {
            let reason = answer.status == 401 ? token.reason(at: url) : ""
            throw CommandError("the server answered \(answer.status): \(answer.body)\(reason)")
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

    private func receive(_ descriptor: Int32, _ mostBytes: Int) throws -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while answer.count < mostBytes {
            let count = recv(descriptor, &buffer, buffer.count, 0)
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
