import Bytes
import Dispatch
import Runtime
import Synchronization
import TestSupport

@testable import HTTPServer

/// A responder for tests. The path of a request selects the answer. For any other path the content of the answer is the
/// path.
///
/// - `/content`: the method and the content of the request.
/// - `/big/N`: N bytes.
/// - `/slow…`: after a short delay.
/// - `/gate…`: after the gate opens.
/// - `/left`: after the client has left.
/// - `/called…` and `/thread…`: through a callback, at once or from another thread.
/// - `/wait`: through a callback that the next `/others` calls.
/// - `/later…`: through a callback, whose reply may be a task.
/// - `/hold`: blocks the reactor until `release`.
/// - `/work…`: uses the reactor for two milliseconds.
/// - `/204` and `/304`: no content.
/// - `/nowhere…`: 404 before the content of the request is read.
/// - `/refused`: 403 before the content of the request is read.
/// - `/read` and `/read-soon`: the number and the sum of the content's bytes, from a content reader.
/// - `/stream`: a stream of `streams`.
/// - `/closes`: the path, and then the server closes the connection.
///
/// A full server serves `/health` only.
final class EchoResponder: Responder {
    let gate = Gate()
    /// The streams of requests for `/stream`.
    let streams = Streams()
    /// Number of answers to `/left` that were begun. `cancellations` counts the cancelled ones.
    let tasks = Counter()
    let cancellations = Counter()
    /// Number of requests that were refused for lack of memory.
    let shortages = Counter()
    private let replies = Counter()
    private let held = DispatchSemaphore(value: 0)
    private let seen = Mutex<[String]>([])
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// The paths in the order of the requests.
    var paths: [String] { seen.withLock { $0 } }

    /// Unblocks one `/hold`.
    func release() { held.signal() }

    /// Number of requests so far.
    var replyCount: Int { replies.value }

    func contentPlan(for request: Request) -> ContentPlan {
        switch String(decoding: request.path, as: UTF8.self) {
        case "/read": .read(SummingReader())
        case "/read-soon": .read(SummingReader(timeout: 2))
        case "/refused": .refuse(Response(.forbidden))
        default: .drain
        }
    }

    func reply(to request: Request) -> Reply {
        replies.increment()
        let path = String(decoding: request.path, as: UTF8.self)
        seen.withLock { $0.append(path) }
        if path == "/hold" { held.wait() }
        if path.hasPrefix("/work") {
            let end = MonotonicTime.now().adding(seconds: 0.002)
            while MonotonicTime.now() < end {}
        }
        let query = request.query.map { "?" + String(decoding: $0, as: UTF8.self) } ?? ""
        if path.hasPrefix("/read") {
            let reader = request.reader as? SummingReader
            let text = reader.map { "\($0.count) \($0.sum)" } ?? "none"
            return .ready(Response(.ok, body: SharedBytes("\(text) \(request.content.count)")))
        }
        if path == "/content" {
            let content = String(decoding: request.content, as: UTF8.self)
            return .ready(Response(.ok, body: SharedBytes("\(request.method) \(content)")))
        }
        let response = Response(.ok, body: SharedBytes(path + query))
        if path == "/204" { return .ready(Response(.noContent, body: SharedBytes("must not be sent"))) }
        if path == "/304" { return .ready(Response(.notModified, body: SharedBytes("must not be sent"))) }
        if path == "/stream" { return .stream(streams.make()) }
        if path == "/closes" { return .ready(Response(.ok, closes: true)) }
        if path.hasPrefix("/big/"), let size = Int(path.dropFirst(5)) {
            return .ready(Response(.ok, body: SharedBytes([UInt8](repeating: 65, count: size))))
        }
        if path.hasPrefix("/slow") {
            return .pending {
                // A cancelled sleep only makes the answer come earlier.
                try? await Task.sleep(for: .milliseconds(10))
                return response
            }
        }
        if path.hasPrefix("/called") { return .callback { $0(.ready(response)) } }
        if path.hasPrefix("/thread") {
            return .callback { receive in DispatchQueue.global().async { receive(.ready(response)) } }
        }
        // The next `/others` answers this request from inside its own turn.
        if path == "/wait" {
            return .callback { receive in self.waiting.withLock { $0.append { receive(.ready(response)) } } }
        }
        if path == "/others" {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for answer in all { answer() }
        }
        if path.hasPrefix("/later") {
            let rest = self.rest(of: path, response)
            return .callback { receive in DispatchQueue.global().async { receive(rest) } }
        }
        return rest(of: path, response)
    }

    private func rest(of path: String, _ response: Response) -> Reply {
        if path.hasSuffix("/left") {
            return .pending { [tasks, cancellations] in
                tasks.increment()
                // Sleeps until the task is cancelled.
                do { try await Task.sleep(for: .seconds(600)) } catch { cancellations.increment() }
                return response
            }
        }
        if path.contains("/gate") {
            return .pending { [gate] in
                await gate.pass()
                return response
            }
        }
        return .ready(response)
    }

    func refusalBeforeContent(of request: Request) -> Response? {
        request.path.starts(with: "/nowhere".utf8) ? Response(.notFound, body: SharedBytes("nowhere")) : nil
    }

    func servesWhenFull(_ request: Request) -> Bool { request.path.equals("/health") }

    func refusal(_ rejection: RequestError) -> Response {
        if rejection.why == "memory" { shortages.increment() }
        let fields = rejection.status == .serviceUnavailable ? [("Retry-After", "1")] : []
        return Response(
            rejection.status, fields: FieldLines.make(fields), body: SharedBytes("\(rejection.event) \(rejection.why)"),
            closes: true)
    }
}

/// Counts and sums the bytes of a content. Reports ten bytes of memory for each byte, so that the budget has something
/// to count.
final class SummingReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: used on the connection's reactor until the reply has the reader.
    private(set) var count = 0
    private(set) var sum = 0

    let limit = 200_000
    let timeout: Double?
    var capacity: Int { count * 10 }

    init(timeout: Double? = nil) {
        self.timeout = timeout
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        for byte in bytes { sum += Int(byte) }
    }
}
