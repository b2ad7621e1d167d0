import Glibc
import HTTPClient

extension UpstreamError {
    /// The meaning of the failure for the host.
    var verdict: CircuitBreaker.Verdict {
        switch self {
        // This server is out of descriptors or memory. The host did not fail.
        case .connect(.failed(EMFILE)), .connect(.failed(ENFILE)), .connect(.failed(ENOMEM)),
            .connect(.failed(ENOBUFS)):
            .inconclusive
        case .connect, .timeout, .tls, .badHead, .tooLarge(.head, _), .short, .other: .failed
        // The host has answered, although badly.
        case .redirect, .tooLarge(.body, _), .badEncoding, .range: .answered
        // Perhaps no server was asked.
        case .denied, .badURL: .inconclusive
        // This server ended the request.
        case .noMemory: .inconclusive
        }
    }
}
