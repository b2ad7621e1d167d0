import Bytes
import Foundation
import MapService
import Tiles

/// The document `/{layer}/places.json`: the places that a layer or map names, each as `[name, latitude, longitude,
/// zoom]`. It is short, because a page reads all places at once to search them.
enum PlacesDocument {
    static func json(_ layer: ServedLayer) -> SharedBytes {
        let rows = layer.places.map { place in
            let (latitude, longitude) = (text(place.latitude), text(place.longitude))
            return "[\(JSONBody.quoted(place.name)),\(latitude),\(longitude),\(place.zoom)]"
        }
        return SharedBytes("[" + rows.joined(separator: ",\n") + "]\n")
    }

    /// Three decimals are some 100 m, which is exact enough for the middle of a town.
    private static func text(_ degrees: Double) -> String { String(format: "%.3f", degrees) }
}
