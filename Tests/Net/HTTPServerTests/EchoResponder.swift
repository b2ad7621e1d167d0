import Bytes
import Dispatch
import Runtime
import Synchronization
import TestSupport

@testable import HTTPServer

/// Answers by path: `/content` with the request's own, `/big/N` has N bytes, `/slow…` comes a moment later, `/gate…` when the
/// gate opens, `/left` when the client has left, `/called…` and `/thread…` by a callback, `/wait` by one that `/others` calls,
/// `/later…` by one that leaves the rest to a task, `/hold` keeps the reactor until `release`, `/work…` for two milliseconds,
/// `/204` and `/304` have no content; every other path is its own content. `/nowhere…` takes none, and a full server answers
/// `/health` alone.
final class EchoResponder: Responder {
    let gate = Gate()
    /// Those of `/stream`.
    let streams = Streams()
    /// Answers to `/left` that were begun, and those that were given up.
    let tasks = Counter()
    let cancellations = Counter()
    /// Requests that were refused for want of memory.
    let shortages = Counter()
    private let replies = Counter()
    private let held = DispatchSemaphore(value: 0)
    private let seen = Mutex<[String]>([])
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// The paths in the order in which they were asked for.
    var paths: [String] { seen.withLock { $0 } }

    /// Lets one `/hold` go.
    func release() { held.signal() }

    /// Requests seen so far.
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
                // A cancelled sleep only makes the answer come sooner.
                try? await Task.sleep(for: .milliseconds(10))
                return response
            }
        }
        if path.hasPrefix("/called") { return .callback { $0(.ready(response)) } }
        if path.hasPrefix("/thread") {
            return .callback { receive in DispatchQueue.global().async { receive(.ready(response)) } }
        }
        // Answered by the next `/others`, from inside of that one's turn.
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
                // Until it is cancelled.
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

/// Counts the bytes of a content and adds them up. Keeps ten bytes for each, so that much is counted.
final class SummingReader: ContentReader, @unchecked Sendable {
    // Invariant behind @unchecked: as readers are used.
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
