import Runtime
import TileCache
import Tiles

/// One of the tiles that another is made of, or the lack of it, and how long that holds.
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
    /// What the loader found, at the time `now` of its clock.
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

    /// A place where the source has no tiles at all.
    static let outside = PartTile(content: .noTile, life: .endless)

    /// The same, to be replaced soon by something better.
    var soonOver: PartTile { PartTile(content: content, life: life.soonOver) }

    var tile: Tile? {
        if case .tile(let tile) = content { tile } else { nil }
    }

    var unavailability: Unavailability? {
        if case .unavailable(let reason) = content { reason } else { nil }
    }
}
