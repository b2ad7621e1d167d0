import CLinux
import Glibc

/// Receives the events of a descriptor. Called on the reactor's queue only.
public protocol ReactorHandler: AnyObject {
    func isReady(_ readiness: Readiness)
}

/// Continues its work in a further turn. Called on the reactor's queue only.
public protocol ResumableHandler: AnyObject {
    func resume()
}

/// Events of a socket: the events that a handler waits for, or the events that have occurred.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer closed its sending side. Data that it sent before can still be read.
    public static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// The connection is closed. Always reported.
    public static let hangup = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has an error. Always reported.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
}

/// How often a ready descriptor is reported.
public enum Trigger: UInt32, Sendable {
    /// Repeatedly while it is ready.
    case level = 0
    /// Once when it becomes ready. The handler must read or write until the call would block.
    case edge = 0x8000_0000
}

/// Identifies a watched descriptor of a reactor.
public struct Registration: Sendable {
    public let descriptor: Int32
    let slot: UInt32
    let generation: UInt32
    let trigger: Trigger
}

/// A failed system call of the reactor.
public struct ReactorError: Error, CustomStringConvertible {
    public let call: String
    public let code: Int32

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
