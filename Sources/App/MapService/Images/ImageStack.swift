import Configuration

/// Layers and maps that one image shows together, from the lowest up, each with an opacity. A map is drawn as its tiles
/// show it.
package struct ImageStack: Sendable {
    private struct Part: Sendable {
        let layer: ServedLayer
        let opacity: Double
    }

    private let parts: [Part]

    /// Maximum number of layers and maps in a stack.
    package static let most = 16

    /// Makes a stack of no layers.
    init() {
        parts = []
    }

    /// Makes the stack of `layers`, which `find` returns by their ids. Throws if there are too many, if an id is
    /// unknown, or if an opacity is not in 0…1.
    package init(_ layers: [MapPicture.Layer], find: (String) -> ServedLayer?) throws(CameraRequestError) {
        guard layers.count <= Self.most else { throw .malformed("layers", expected: "at most 16 layers") }
        var parts: [Part] = []
        for layer in layers {
            guard let found = find(layer.id) else { throw .bad("layers", "No layer or map has the id \(layer.id).") }
            guard (0...1).contains(layer.opacity) else { throw .malformed("layers", expected: "opacities in 0…1") }
            parts.append(Part(layer: found, opacity: layer.opacity))
        }
        self.parts = parts
    }

    var isEmpty: Bool { parts.isEmpty }

    var layers: [ServedLayer] { parts.map(\.layer) }

    var drawnLayers: [DrawnLayer] { parts.map { DrawnLayer($0.layer, opacity: $0.opacity, blend: .normal) } }

    /// Number of layers, with those of maps.
    var layerCount: Int { parts.reduce(0) { $0 + max(1, $1.layer.mapLayers.count) } }

    /// A text for the key of an image. It changes with the layers, their opacities and their generations.
    var keyText: String {
        parts.map { "\($0.layer.source.number):\($0.opacity):\($0.layer.source.generation.current)" }
            .joined(separator: ",")
    }
}
