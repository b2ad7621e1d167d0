import Configuration
import TestSupport
import Testing

/// Operators change lifetimes during an outage and must not lose tiles by it. Only another source makes another cache
/// (issue 3, points 2 and 5).
@Suite(.blocking) struct OutageReloadTests {
    enum Change: CaseIterable, Sendable {
        case offline, staleIfError, ttl, maxAge, attribution

        func apply(_ settings: inout LayerSettings) {
            switch self {
            case .offline: settings.offline = true
            case .staleIfError: settings.staleIfError = .seconds(86_400)
            case .ttl: settings.ttl = .seconds(3_600)
            case .maxAge: settings.maxAge = .seconds(60)
            case .attribution: settings.attribution = "somebody"
            }
        }
    }

    @Test(arguments: Change.allCases) func keepsTilesAfterAReload(change: Change) async throws {
        let layer = RevalidatingLayer { _, number in number == 1 ? .tile("t") : .failure(.unreachable) }
        var settings = LayerSettings(id: "test", source: .embedded)
        try await withEndpoint(.memory, layer, { $0.layers = [settings] }) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/1/0/0.png").text == "t")
            change.apply(&settings)
            try endpoint.server.reload(endpoint.configuration(of: [settings]))
            let response = try await endpoint.get("/test/1/0/0.png")
            #expect(response.status == 200 && response.text == "t", "\(response.summary)")
            #expect(layer.callCount == 1)
        }
    }
}
