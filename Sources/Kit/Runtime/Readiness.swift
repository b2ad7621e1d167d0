import CLinux
import Glibc

/// Hears that a descriptor became ready. Called on the reactor's queue only.
public protocol ReactorHandler: AnyObject {
    func isReady(_ readiness: Readiness)
}

/// Goes on where its turn ended, one turn at a time. Called on the reactor's queue only.
public protocol ResumableHandler: AnyObject {
    func resume()
}

/// What a descriptor is waited for, and what it is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer closed its half; what it sent before can still be read.
    public static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// The connection is gone. Always reported.
    public static let hangup = Readiness(rawValue: EPOLLHUP.rawValue)
    /// Always reported.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}

/// When a ready descriptor is reported.
public enum Trigger: UInt32, Sendable {
    /// As long as it is ready.
    case level = 0
    /// Once, when it becomes ready: the handler must read or write until it would block.
    case edge = 0x8000_0000
}

/// A descriptor's place in a reactor.
public struct Registration: Sendable {
    public let descriptor: Int32
    let slot: UInt32
    let generation: UInt32
    let trigger: Trigger
}

/// A system call of the reactor that failed.
public struct ReactorError: Error, CustomStringConvertible {
    public let call: String
    public let code: Int32

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
