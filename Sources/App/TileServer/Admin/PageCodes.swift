import Runtime
import Synchronization

/// Codes that the map's page exchanges for the token, each once and within a minute. Browsers keep an address with a code in
/// their history, where it soon opens nothing.
///
/// Thread rule: any thread.
final class PageCodes: Sendable {
    /// Seconds for which a code is valid.
    static let lifetime = 60.0
    /// The most codes at a time. Beyond it, a new code replaces the oldest one.
    static let most = 16

    private struct Code {
        let text: AdminToken
        /// The token of the request that asked for the code. The code is not valid for another token.
        let token: String
        let made: MonotonicTime
    }

    private let codes = Mutex<[Code]>([])

    /// Makes a code of 128 random bits for `token`.
    func make(for token: AdminToken, at now: MonotonicTime) -> String {
        let text = AdminToken.random()
        codes.withLock { codes in
            codes.removeAll { Self.isOver($0, now) }
            if codes.count >= Self.most { codes.removeFirst() }
            codes.append(Code(text: AdminToken(configured: text), token: token.text, made: now))
        }
        return text
    }

    /// Returns whether `candidate` is a valid code for `token`, and uses it up.
    func redeem(_ candidate: UnsafeRawBufferPointer, for token: AdminToken, at now: MonotonicTime) -> Bool {
        codes.withLock { codes in
            codes.removeAll { Self.isOver($0, now) }
            guard let index = codes.firstIndex(where: { $0.text.matches(candidate) }) else { return false }
            return codes.remove(at: index).token == token.text
        }
    }

    private static func isOver(_ code: Code, _ now: MonotonicTime) -> Bool {
        now.seconds(since: code.made) >= lifetime
    }
}
