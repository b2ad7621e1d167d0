import Runtime
import TileCache
import Tiles

/// A source tile from which another tile is made, or the reason for its lack, and the lifetime of this result.
struct PartTile: Sendable {
    enum Content: Sendable {
        case tile(Tile)
        case noTile
        case unavailable(Unavailability)
    }

    let content: Content
    let life: SharedLife
}

extension PartTile {
    /// Makes a part from the loader's result. `now` is the time of the loader's clock.
    init(_ loaded: Loaded, now: MonotonicTime) {
        switch loaded {
        case .found(let cached, let fill):
            self.init(cached, SharedLife(cached, now: now, mayBeKept: !fill.mustNotBeKept))
        case .present(let cached, _): self.init(cached, SharedLife(cached, now: now))
        case .stale(let cached, _): self.init(cached, SharedLife(cached, now: now).soonOver)
        case .unavailable(let reason, _):
            self.init(content: .unavailable(reason), life: SharedLife.endless.soonOver)
        }
    }

    private init(_ cached: CachedTile, _ life: SharedLife) {
        switch cached.content {
        case .tile(let entry): self.init(content: .tile(entry.tile), life: life)
        case .noTile: self.init(content: .noTile, life: life.stated)
        }
    }

    /// The result for a coordinate outside the zooms or the area of the source.
    static let outside = PartTile(content: .noTile, life: .endless)

    /// The result of a layer that is not served now.
    static let missing = PartTile(content: .unavailable(.failed), life: .endless.soonOver)

    /// This result with a short lifetime, so that a better result soon replaces it.
    var soonOver: PartTile { PartTile(content: content, life: life.soonOver) }

    var tile: Tile? {
        if case .tile(let tile) = content { tile } else { nil }
    }

    var unavailability: Unavailability? {
        if case .unavailable(let reason) = content { reason } else { nil }
    }
}
