import Configuration
import TestSupport
import Testing

@testable import TileServer

/// Runs `body` with a server that has a map `demo` with a camera over the layer `ground`.
func withCameraMap(
    _ way: Way = .memory, _ change: (inout MapSource) -> Void = { _ in },
    _ body: (Endpoint) async throws -> Void
) async throws {
    var source = MapSource(layers: [MapLayer(id: "ground")])
    source.camera = MapCamera(latitude: 49.26, longitude: -123.11)
    source.camera?.zoom = 5
    change(&source)
    let map = LayerSettings(id: "demo", source: .map(source))
    try await withEndpoint(way) {
        $0.layers = [LayerSettings(id: "ground", source: .generator(.oddColumns))]
        $0.maps = [map]
    } _: { (endpoint: Endpoint) async throws in
        try await body(endpoint)
    }
}

func toldCamera(by response: RawResponse) throws -> [String: Double] {
    try #require(response.json?["camera"] as? [String: Double])
}

func isNear(_ left: Double?, _ right: Double, _ tolerance: Double = 1e-6) -> Bool {
    left.map { abs($0 - right) <= tolerance } ?? false
}

extension Endpoint {
    /// Sends a POST request with JSON content.
    func post(_ target: String, _ body: String) async throws -> RawResponse {
        try await ask("POST", target, ["Content-Type: application/json"], body: body)
    }
}
