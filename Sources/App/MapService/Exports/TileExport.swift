import Bytes
import Configuration
import MapGeometry
import Raster
import Runtime
import TileArchives
import TileSources
import Tiles

/// An export: the tiles of a layer or map in an area, in one format.
package struct TileExport: Sendable {
    package let layer: ServedLayer
    package let area: ExportArea
    /// The format of tiles that the layer itself does not send in a format.
    package let format: ImageFormat

    /// The numbers of an export so far.
    package struct Progress: Sendable, Equatable {
        /// Tiles that were asked for. The sum of the next three.
        package var done = 0
        /// Tiles in the archive.
        package var written = 0
        /// Tiles that the layer does not have.
        package var absent = 0
        /// Tiles that were unavailable.
        package var failed = 0
        /// Bytes of the images of `written`, before identical images are joined.
        package var bytes = 0
    }

    /// The reason why an export is refused.
    package enum RefusalError: Error, Hashable, CustomStringConvertible {
        /// A host of the layer forbids bulk downloads. Holds the sentence for the user.
        case policy(layer: String, reason: String)

        package var description: String {
            switch self {
            case .policy(let layer, let reason): "the layer \(layer) cannot be exported: \(reason)"
            }
        }
    }

    /// Makes an export. `format` nil takes the format that the layer usually sends. Throws `RefusalError` if the policy
    /// of a host forbids bulk downloads.
    package init(_ layer: ServedLayer, area: ExportArea, format: ImageFormat? = nil) throws(RefusalError) {
        for part in [layer] + layer.members {
            guard case .url(let source) = part.settings.source, !part.settings.offline,
                let host = URLTemplate.host(of: source.template), let policy = BulkPolicy.forbidding(host)
            else { continue }
            throw .policy(layer: part.id, reason: policy.refusal(of: host))
        }
        self.layer = layer
        self.area = area
        self.format = format ?? layer.sentFormat
    }

    /// The description of the archive.
    package var description: SourceDescription {
        var found = SourceDescription()
        found.name = layer.settings.name ?? layer.id
        found.description = layer.settings.description
        found.attribution = layer.settings.attribution
        found.bounds = area.bounds
        found.zooms = area.zooms
        found.format = format
        found.tileSize = layer.tileSize
        found.kind = layer.settings.opacity < 1 ? .overlay : .baselayer
        if let box = area.bounds {
            let east = box.east + (box.east < box.west ? 360 : 0)
            let middle = (box.west + east) / 2
            found.center = SourceDescription.Center(
                longitude: middle > 180 ? middle - 360 : middle, latitude: (box.south + box.north) / 2,
                zoom: area.zooms.lowerBound)
        }
        return found
    }
}
