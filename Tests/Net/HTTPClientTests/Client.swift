import Runtime
import Testing

@testable import HTTPClient

/// A client for tests on one reactor, with default timeouts and limits.
struct Client {
    let client: HTTPClient

    init(memory: MemoryBudget = MemoryBudget(bytes: .max)) throws {
        client = HTTPClient(reactors: [try Reactor(label: "test.client")], memory: memory)
    }

    func fetch(
        _ url: String, timeouts: UpstreamTimeouts = UpstreamTimeouts(), limits: UpstreamLimits = UpstreamLimits(),
        headers: [(name: String, value: String)] = [], allowPrivate: Bool = false, scope: HostScope? = nil
    ) async throws -> Result<UpstreamResponse, UpstreamError> {
        let profile = try UpstreamProfile(
            headers: headers, userAgent: "test/1", timeouts: timeouts, limits: limits, allowPrivate: allowPrivate,
            scope: scope)
        return await client.fetch(UpstreamRequest(url: url, profile: profile))
    }
}

extension Result where Success == UpstreamResponse, Failure == UpstreamError {
    var failure: UpstreamError? {
        switch self {
        case .success: nil
        case .failure(let failure): failure
        }
    }

    var response: UpstreamResponse? {
        switch self {
        case .success(let response): response
        case .failure: nil
        }
    }
}
