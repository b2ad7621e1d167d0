import TileCache

/// The name of a tile in Redis, and the keys made from this name: for the tile, its lock, and its waiting nodes.
package struct FleetKey: Sendable, Hashable {
    /// Prefix of the fleet's keys in Redis.
    let prefix: String
    /// `fingerprint:layer:z/x/y@scale`. The name does not contain the generation: after a clear, new tiles replace the
    /// old values.
    package let name: String

    package init(_ key: StoreKey, prefix: String) {
        let (space, place) = (key.namespace, key.coordinate)
        self.prefix = prefix
        name = "\(space.fingerprint):\(space.layer):\(place.z)/\(place.x)/\(place.y)@\(key.scale)"
    }

    /// The key of the tile.
    package var tile: String { "\(prefix):t:\(name)" }
    /// The key of the lock for the tile's fetch.
    var lock: String { "\(prefix):l:\(name)" }
    /// The key of the number of nodes that wait for the fetch.
    var waiters: String { "\(prefix):w:\(name)" }
}
