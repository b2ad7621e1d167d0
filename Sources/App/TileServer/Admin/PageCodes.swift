import Runtime
import Synchronization

/// Makes codes that the map's page can exchange for the admin token. A code works only once and only for one minute.
/// The history of a browser may store an address with a code, but the code soon becomes useless. Thread rule: any
/// thread.
final class PageCodes: Sendable {
    /// Seconds for which a code is valid.
    static let lifetime = 60.0
    /// Maximum number of codes. Beyond this number, a new code replaces the oldest one.
    static let most = 16

    private struct Code {
        let text: AdminToken
        /// The token for which the code was made. The code is not valid for another token.
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

    /// Reports whether `candidate` is a valid code for `token`, and removes the code.
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
