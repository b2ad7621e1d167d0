import Glibc
import Testing

@testable import Runtime

/// A handler that records its calls.
final class Handler: ReactorHandler {
    var calls: [Readiness] = []
    var onReady: (Readiness) -> Void = { _ in }

    func isReady(_ readiness: Readiness) {
        calls.append(readiness)
        onReady(readiness)
    }
}

/// A value that only the reactor's queue touches.
final class Confined<Value>: @unchecked Sendable {
    // Invariant behind @unchecked: used on one reactor's queue only.
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// Runs `body` on the reactor's queue and returns its result.
func on<Value: Sendable>(_ reactor: Reactor, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in reactor.post { continuation.resume(returning: body()) } }
}

func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
}
