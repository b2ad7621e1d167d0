import TileCache

/// Where a tile is in Redis, and what it is called there.
package struct FleetKey: Sendable, Hashable {
    /// Of all keys of the fleet.
    let prefix: String
    /// `fingerprint:layer:z/x/y@scale`. The generation is no part of it, so that a layer that is cleared needs no further room.
    package let name: String

    package init(_ key: StoreKey, prefix: String) {
        let (space, place) = (key.namespace, key.coordinate)
        self.prefix = prefix
        name = "\(space.fingerprint):\(space.layer):\(place.z)/\(place.x)/\(place.y)@\(key.scale)"
    }

    /// The tile.
    package var tile: String { "\(prefix):t:\(name)" }
    /// Who fetches it.
    var lock: String { "\(prefix):l:\(name)" }
    /// How many wait for that.
    var waiters: String { "\(prefix):w:\(name)" }
}
