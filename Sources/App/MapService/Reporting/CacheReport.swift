import CDN
import Fleet
import TileCache

/// What the tiers hold and how they are used, in all and layer by layer.
package struct CacheReport: Sendable {
    package struct Layer: Sendable {
        package let id: String
        package let generation: UInt32
        package let memory: Memory
        /// Nil where the layer is not kept on disk.
        package let disk: StoreStatistics?
    }

    package struct Memory: Sendable {
        package let usage: MemoryStore.Usage
        package let traffic: MemoryStore.Traffic
    }

    package let memory: Memory
    /// Nil where there is no disk tier.
    package let disk: StoreTotals?
    package let layers: [Layer]
    /// What caches in front were told; nil where they are told nothing.
    package let caches: CDNPurger.Report?
    /// Nil where the service serves alone.
    package let fleet: FleetMetrics?
}

extension MapService {
    /// What the tiers hold of the layers of `table`, and how they are used.
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
