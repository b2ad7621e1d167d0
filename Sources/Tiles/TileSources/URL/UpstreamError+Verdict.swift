import Glibc
import HTTPClient

extension UpstreamError {
    /// What the failure says about the host.
    var verdict: CircuitBreaker.Verdict {
        switch self {
        // Out of descriptors or memory: this server failed, not the other one.
        case .connect(.failed(EMFILE)), .connect(.failed(ENFILE)), .connect(.failed(ENOMEM)),
            .connect(.failed(ENOBUFS)):
            .inconclusive
        case .connect, .timeout, .tls, .badHead, .tooLarge(.head, _), .short, .other: .failed
        // The host has answered, however badly.
        case .redirect, .tooLarge(.body, _), .badEncoding: .answered
        // Perhaps no server was asked.
        case .denied, .badURL: .inconclusive
        // This server broke off.
        case .noMemory: .inconclusive
        }
    }
}
