import CDN
import Fleet
import TileCache

/// A report about the cache tiers: their contents and their hits, in total and for each layer. A tier is one storage of
/// the cache, such as the memory or the disk.
package struct CacheReport: Sendable {
    package struct Layer: Sendable {
        package let id: String
        package let generation: UInt32
        package let memory: Memory
        /// Nil if the layer is not stored on disk, or if there is no disk tier.
        package let disk: StoreStatistics?
    }

    package struct Memory: Sendable {
        package let usage: MemoryStore.Usage
        package let traffic: MemoryStore.Traffic
    }

    package let memory: Memory
    /// Nil if there is no disk tier.
    package let disk: StoreTotals?
    package let layers: [Layer]
    /// The purges of caches in front of the server. Nil if `cdn.purge` is not set.
    package let caches: CDNPurger.Report?
    /// Nil if the server serves alone.
    package let fleet: FleetMetrics?
}

extension MapService {
    /// Makes a report about the cache tiers, with the layers of `table`.
    package func cacheReport(on table: LayerTable) -> CacheReport {
        let statistics = disk?.statistics()
        let layers = table.layers.map { layer in
            let report = loader.memoryReport(on: layer.source)
            return CacheReport.Layer(
                id: layer.id, generation: layer.source.generation.current,
                memory: CacheReport.Memory(usage: report.usage, traffic: report.traffic),
                disk: layer.source.namespace == nil ? nil : statistics.map { $0[layer.id] ?? StoreStatistics() })
        }
        let traffic = layers.reduce(MemoryStore.Traffic()) { $0 + $1.memory.traffic }
        return CacheReport(
            memory: CacheReport.Memory(usage: loader.memoryUsage, traffic: traffic), disk: disk?.totals(),
            layers: layers, caches: cachingReport, fleet: fleet?.metrics)
    }
}
