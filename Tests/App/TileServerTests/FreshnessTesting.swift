import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing
import TileCache
import Tiles

/// A layer that returns answers with lifetimes and validators, and records its requests.
final class RevalidatingLayer: TileLayer {
    struct Question: Sendable {
        let coordinate: TileCoordinate
        let validators: Validators?
    }

    private let answer: @Sendable (Question, Int) async -> SourceAnswer
    private let asked = Mutex<[Question]>([])

    /// `answer` gets the request and its number, starting with 1.
    init(_ answer: @escaping @Sendable (Question, Int) async -> SourceAnswer) {
        self.answer = answer
    }

    var questions: [Question] { asked.withLock { $0 } }
    var callCount: Int { asked.withLock { $0.count } }

    func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer {
        let question = Question(coordinate: coordinate, validators: validators)
        let number = asked.withLock { asked in
            asked.append(question)
            return asked.count
        }
        return await answer(question, number)
    }
}

/// A clock that stands still until a test moves it.
final class SettableClock: Sendable {
    private struct State {
        var monotonic = MonotonicTime.zero.adding(seconds: 5_000_000)
        var wall = 1_767_225_600
    }

    private let state = Mutex(State())

    func advance(_ seconds: Int) {
        state.withLock { state in
            state.monotonic = state.monotonic.adding(seconds: Double(seconds))
            state.wall += seconds
        }
    }

    /// Moves the wall clock only.
    func jump(_ seconds: Int) {
        state.withLock { $0.wall += seconds }
    }

    var loaderClock: LoaderClock {
        LoaderClock(monotonic: { self.state.withLock { $0.monotonic } }, wall: { self.state.withLock { $0.wall } })
    }
}

extension SourceTerms {
    /// Returns terms with a lifetime of `seconds`. If `seconds` is nil, the upstream sends no lifetime.
    static func lasting(
        _ seconds: Int?, age: Int = 0, etag: String? = nil, whileRevalidating: Int? = nil, ifError: Int? = nil
    ) -> SourceTerms {
        var terms = SourceTerms()
        terms.lifetime = seconds.map(Lifetime.seconds) ?? .unsaid
        terms.age = age
        terms.validators = Validators(etag: etag, lastModified: nil)
        terms.staleWhileRevalidate = whileRevalidating
        terms.staleIfError = ifError
        return terms
    }

    static var notStored: SourceTerms {
        var terms = SourceTerms()
        terms.lifetime = .notStored
        return terms
    }
}

extension SourceAnswer {
    static func tile(_ text: String, _ terms: SourceTerms = SourceTerms()) -> SourceAnswer {
        .result(.tile(Tile(text)), terms)
    }

    static func failure(_ reason: Unavailability) -> SourceAnswer { .result(.unavailable(reason), SourceTerms()) }
}

extension RawResponse {
    /// Returns the seconds of a member of `Cache-Control`, or nil if the member is missing.
    func control(_ member: String) -> Int? {
        let members = self["cache-control"]?.split(separator: ", ") ?? []
        return members.first { $0.hasPrefix("\(member)=") }.flatMap { Int($0.dropFirst(member.count + 1)) }
    }

    var age: Int? { self["age"].flatMap { Int($0) } }

    /// The value of `ttl` in `Cache-Status`.
    var ttl: Int? {
        let members = self["cache-status"]?.split(separator: "; ") ?? []
        return members.first { $0.hasPrefix("ttl=") }.flatMap { Int($0.dropFirst(4)) }
    }

    /// The important fields in one line, for the message of a failing test.
    var summary: String {
        "\(status) \(["cache-control", "age", "cache-status", "x-tile-status"].map { self[$0] ?? "-" })"
    }
}
