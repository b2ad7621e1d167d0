import Fleet
import MapGeometry

/// For a service that knows of no purges of others.
struct UnnumberedStamps: FleetStamps {
    func stamp(of layer: String) -> StreamID? { .zero }

    func verdict(on coordinate: TileCoordinate, of layer: String, stamp: StreamID) -> FleetVerdict { .valid }
}
