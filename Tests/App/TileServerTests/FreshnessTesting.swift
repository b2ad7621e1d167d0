import MapGeometry
import Runtime
import Synchronization
import TestSupport
import Testing
import TileCache
import Tiles

/// A layer that answers with terms, as it is told, and remembers what it was asked.
final class RevalidatingLayer: TileLayer {
    struct Question: Sendable {
        let coordinate: TileCoordinate
        let validators: Validators?
    }

    private let answer: @Sendable (Question, Int) async -> SourceAnswer
    private let asked = Mutex<[Question]>([])

    /// `answer` gets the number of the question, from 1.
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

/// A clock that stands still until it is moved.
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

    /// Sets the wall clock.
    func jump(_ seconds: Int) {
        state.withLock { $0.wall += seconds }
    }

    var loaderClock: LoaderClock {
        LoaderClock(monotonic: { self.state.withLock { $0.monotonic } }, wall: { self.state.withLock { $0.wall } })
    }
}

extension SourceTerms {
    /// `seconds` nil: the source says nothing of a life.
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
    /// The seconds of one member of `Cache-Control`; nil where it is not there.
    func control(_ member: String) -> Int? {
        let members = self["cache-control"]?.split(separator: ", ") ?? []
        return members.first { $0.hasPrefix("\(member)=") }.flatMap { Int($0.dropFirst(member.count + 1)) }
    }

    var age: Int? { self["age"].flatMap { Int($0) } }

    /// The `ttl` of `Cache-Status`.
    var ttl: Int? {
        let members = self["cache-status"]?.split(separator: "; ") ?? []
        return members.first { $0.hasPrefix("ttl=") }.flatMap { Int($0.dropFirst(4)) }
    }

    /// Everything in one line, for a failing test.
    var summary: String {
        "\(status) \(["cache-control", "age", "cache-status", "x-tile-status"].map { self[$0] ?? "-" })"
    }
}
