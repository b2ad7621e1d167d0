import Bytes
import Runtime
import Synchronization
import Tiles

/// A memory cache of drawn images. The least recently used image is evicted first.
///
/// Thread rule: any thread.
package final class StaticImages: Sendable {
    /// The cache key of an image. Images with equal keys differ only if tiles or layers have changed.
    package struct Key: Hashable, Sendable {
        /// The maps and layers that affect the image. A clear of one of them removes the image.
        package let maps: [String]
        /// The other values of the request that affect the image, as one canonical text.
        let canonical: String
        /// Hash of `canonical`, stored because the text may be long and lookups are frequent.
        private let digest: Int

        init(maps: [String], canonical: String) {
            self.maps = maps
            self.canonical = canonical
            digest = canonical.hashValue
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(maps)
            hasher.combine(digest)
        }

        /// Size of the text in bytes.
        package var size: Int { canonical.utf8.count }
    }

    package struct Image: Sendable {
        package let bytes: SharedBytes
        package let etag: String
        /// Header lines that describe the image.
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

        /// The time after which the image is stale.
        package var expires: MonotonicTime { born.adding(wholeSeconds: life.lifetime) }
    }

    private struct State {
        var images: [Key: (image: Image, use: Int)] = [:]
        var bytes = 0
        var uses = 0
        /// Number of images that were evicted to make room.
        var evictions = 0
        /// Number of clears so far. An image that was begun before a clear of its map is not cached after the clear.
        var epoch = 0
        /// The number of the last clear of all maps, and the number of the last clear of each map since then.
        var clearOfAll = 0
        var clears: [String: Int] = [:]
    }

    /// Maximum bytes of images with their keys and headers.
    package let budget: Int
    private let state = Mutex(State())

    /// Makes a cache with `budget` bytes. 0 caches nothing.
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

    /// The number of clears so far. Read it before an image is begun, and pass it to `keep`.
    package var epoch: Int { state.withLock { $0.epoch } }

    /// Caches `image`, unless the image takes more than a quarter of the cache. `epoch` is the value of the property
    /// `epoch` from before the image was drawn. Returns false if the map was cleared since then. The image may be out
    /// of date in this case, so no other cache may store it.
    package func keep(_ image: Image, for key: Key, epoch: Int) -> Bool {
        let cost = Self.cost(image, key)
        return state.withLock { state in
            let clear = key.maps.map { state.clears[$0] ?? state.clearOfAll }.max() ?? state.clearOfAll
            guard epoch >= clear else { return false }
            guard cost <= budget / 4 else { return true }
            state.uses += 1
            state.bytes += cost - (state.images[key].map { Self.cost($0.image, key) } ?? 0)
            state.images[key] = (image, state.uses)
            // The cache has few images, so a search for the oldest is cheaper than an ordered list.
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

    /// Removes the images of `maps`. Images that are being drawn now are not cached.
    package func clear(_ maps: [String]) {
        state.withLock { state in
            state.epoch += 1
            for map in maps { state.clears[map] = state.epoch }
            let names = Set(maps)
            for (key, found) in state.images where key.maps.contains(where: names.contains) {
                state.images[key] = nil
                state.bytes -= Self.cost(found.image, key)
            }
        }
    }

    /// Removes all images. Images that are being drawn now are not cached.
    package func clear() {
        // Releases the images after the lock is released.
        _ = state.withLock { state in
            let epoch = state.epoch + 1
            defer { state = State(uses: state.uses, evictions: state.evictions, epoch: epoch, clearOfAll: epoch) }
            return state.images
        }
    }

    /// Number of images, their bytes, and the number of evicted images since the start.
    var usage: (entries: Int, bytes: Int, evictions: Int) {
        state.withLock { ($0.images.count, $0.bytes, $0.evictions) }
    }

    private static let most = 1_024

    /// Bytes of an entry. The constant covers the objects around the image and the rounding of the allocator.
    private static func cost(_ image: Image, _ key: Key) -> Int {
        image.bytes.count + image.fields.count + key.size + 1_024
    }
}
