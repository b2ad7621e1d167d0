import Bytes
import Runtime
import Synchronization
import Tiles

/// The images that were drawn, in memory: the least recently used goes first.
///
/// Thread rule: any thread.
package final class StaticImages: Sendable {
    /// What an image shows: the same image for the same key, until one of its layers is cleared.
    package struct Key: Hashable, Sendable {
        package let map: String
        /// Everything else, in one canonical text.
        let canonical: String
        /// Of `canonical`, which may be long and is looked up often.
        private let digest: Int

        init(map: String, canonical: String) {
            self.map = map
            self.canonical = canonical
            digest = canonical.hashValue
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(map)
            hasher.combine(digest)
        }

        /// Bytes of the text.
        package var size: Int { canonical.utf8.count }
    }

    package struct Image: Sendable {
        package let bytes: SharedBytes
        package let etag: String
        /// Field lines that describe it.
        package let fields: SharedBytes
        package let born: MonotonicTime
        package let life: TileLife

        package init(
            bytes: SharedBytes, etag: String, fields: SharedBytes, born: MonotonicTime, life: TileLife
        ) {
            self.bytes = bytes
            self.etag = etag
            self.fields = fields
            self.born = born
            self.life = life
        }

        /// From here on it is stale.
        package var expires: MonotonicTime { born.adding(wholeSeconds: life.lifetime) }
    }

    private struct State {
        var images: [Key: (image: Image, use: Int)] = [:]
        var bytes = 0
        var uses = 0
        /// Images that made room for others.
        var evictions = 0
        /// How many clears there were: an image that was begun before one of its map is not kept after it.
        var epoch = 0
        /// The last of all maps, and for each map that was cleared since, the last of it.
        var clearOfAll = 0
        var clears: [String: Int] = [:]
    }

    /// The most bytes of images and what belongs to them.
    package let budget: Int
    private let state = Mutex(State())

    /// `budget` in bytes; 0 keeps nothing.
    package init(budget: Int) {
        self.budget = budget
    }

    package func image(for key: Key, now: MonotonicTime) -> Image? {
        state.withLock { state in
            guard let found = state.images[key], found.image.expires > now else { return nil }
            state.uses += 1
            state.images[key]?.use = state.uses
            return found.image
        }
    }

    /// To be read before an image is begun, and passed to `keep`.
    package var epoch: Int { state.withLock { $0.epoch } }

    /// Keeps `image`, where there is room for it, unless its map was cleared since `epoch`: false then, and nobody else may keep it either.
    package func keep(_ image: Image, for key: Key, epoch: Int) -> Bool {
        let cost = Self.cost(image, key)
        return state.withLock { state in
            guard epoch >= state.clears[key.map] ?? state.clearOfAll else { return false }
            guard cost <= budget / 4 else { return true }
            state.uses += 1
            state.bytes += cost - (state.images[key].map { Self.cost($0.image, key) } ?? 0)
            state.images[key] = (image, state.uses)
            // Few are kept: looking at all of them is cheaper than keeping them in order.
            while state.bytes > budget || state.images.count > Self.most,
                let oldest = state.images.min(by: { $0.value.use < $1.value.use })
            {
                state.images[oldest.key] = nil
                state.evictions += 1
                state.bytes -= Self.cost(oldest.value.image, oldest.key)
            }
            return true
        }
    }

    /// Removes the images of `maps`; those that are being drawn are not kept.
    package func clear(_ maps: [String]) {
        state.withLock { state in
            state.epoch += 1
            for map in maps { state.clears[map] = state.epoch }
            let names = Set(maps)
            for (key, found) in state.images where names.contains(key.map) {
                state.images[key] = nil
                state.bytes -= Self.cost(found.image, key)
            }
        }
    }

    /// Removes all images; those that are being drawn are not kept.
    package func clear() {
        // Dropped after the lock is.
        _ = state.withLock { state in
            let epoch = state.epoch + 1
            defer { state = State(uses: state.uses, evictions: state.evictions, epoch: epoch, clearOfAll: epoch) }
            return state.images
        }
    }

    /// How many are kept, what they take, and how many made room for others since the start.
    var usage: (entries: Int, bytes: Int, evictions: Int) {
        state.withLock { ($0.images.count, $0.bytes, $0.evictions) }
    }

    private static let most = 1_024

    /// With the objects around it as the allocator rounds them.
    private static func cost(_ image: Image, _ key: Key) -> Int {
        image.bytes.count + image.fields.count + key.size + 1_024
    }
}
