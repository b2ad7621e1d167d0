import ArgumentParser
import Foundation
import MapGeometry
import MapService
import Raster
import TileArchives
import Tiles

/// The command `tileserver export`. It writes the tiles of a layer or map into an archive, without a server.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the tiles of a layer or map into an MBTiles, PMTiles or ZIP file, or a directory.",
        discussion: """
            The file is written under another name, and takes its own name when it is whole. A tile that is \
            unavailable is a line on standard output, and the export goes on. The status is 0 if all tiles are in the \
            archive, 1 if tiles are missing, and 2 if the export is refused.
            """)

    @Argument(help: "Layer or map to export.")
    var layer: String

    @Option(help: "File or directory to write: a path that ends in .mbtiles, .pmtiles, .zip or /.")
    var to: String

    @Option(
        parsing: .unconditional,
        help: "west,south,east,north: box of the tiles (default: the bounds of the layer).")
    var bounds: String?

    @Option(help: "GeoJSON file with the area: the tiles that its polygons, lines and points touch.")
    var geojson: String?

    @Option(help: "Zooms of the tiles, such as 0-14.")
    var zooms: String

    @Option(help: "Format of the tiles: png, jpeg or webp (default: the format that the layer sends).")
    var format: String?

    @Option(help: "Quality of JPEG and WebP, 1 to 100 (default: the layer's).")
    var quality: Int?

    @Flag(help: "Take the tiles of other servers from the disk cache only, and leave out tiles that it lacks.")
    var cached = false

    @Flag(help: "Replace an existing file, or the files in a directory.")
    var replace = false

    @Flag(name: .customLong("dry-run"), help: "Say how many tiles and megabytes there are, from a sample of 200 tiles.")
    var isDryRun = false

    @OptionGroup var options: ConfigurationOptions

    /// Exit status if the command refuses the export, for example because the target exists.
    static let refused: Int32 = 2

    func validate() throws {
        guard bounds == nil || geojson == nil else {
            throw ValidationError("Expected --bounds or --geojson, found both. Remove one of them.")
        }
        guard range != nil else {
            throw ValidationError("Expected --zooms as a zoom, or as two zooms with a hyphen between, within 0-30.")
        }
        guard format == nil || imageFormat != nil else {
            throw ValidationError("Expected a --format of png, jpeg or webp.")
        }
        guard quality.map({ (1...100).contains($0) }) ?? true else {
            throw ValidationError("Expected a --quality of 1 to 100.")
        }
    }

    private var imageFormat: ImageFormat? { format.flatMap { ImageForm(suffix: $0.lowercased()) }?.format }

    private var range: ClosedRange<Int>? {
        guard zooms.wholeMatch(of: /[0-9]{1,2}(-[0-9]{1,2})?/) != nil else { return nil }
        let ends = zooms.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last, first <= last, last <= TileCoordinate.maxZoom else {
            return nil
        }
        return first...last
    }

    func run() async throws {
        var configuration = options.load(for: .drawing)
        if cached { TileExport.useCacheOnly(in: &configuration) }
        let order = try order()
        let target: ExportTarget
        do {
            target = try order.target()
        } catch {
            throw CommandError(error, status: Self.refused)
        }
        let (service, served, diskError) = try LayerService.start(configuration, layer: layer)
        if let diskError, !cached { complain("tileserver: the disk cache is not used: \(diskError)") }
        let export: TileExport
        do {
            if cached { try checkCache(of: service, diskError) }
            export = try order.export(of: served)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(error, status: Self.refused)
        }
        do {
            try await isDryRun ? estimate(export, service) : write(export, service, target)
        } catch {
            await service.close()
            throw error
        }
        await service.close()
    }

    /// Throws if the disk cache, from which `--cached` takes tiles, is not configured or cannot be read. `diskError`
    /// is the error of opening the disk cache, or nil.
    private func checkCache(of service: MapService, _ diskError: (any Error)?) throws {
        if let diskError {
            throw CommandError("--cached: the disk cache cannot be read: \(diskError)", status: Self.refused)
        }
        guard service.disk != nil else {
            throw CommandError("--cached: the configuration has no disk cache (cache.disk)", status: Self.refused)
        }
    }

    private func order() throws -> ExportOrder {
        guard let range else { throw CommandError.usage("--zooms \(zooms)") }
        var order = ExportOrder(
            layer, to: to, area: .layer, zooms: range, format: imageFormat, quality: quality, replaces: replace)
        order.isCachedOnly = cached
        if let geojson { order.area = .geoJSON(path: geojson) }
        guard let bounds else { return order }
        let numbers = bounds.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
            let north = numbers[3]
        else { throw CommandError.usage("--bounds: expected west,south,east,north, found \(bounds)") }
        do {
            order.area = .box(try .checked(west: west, south: south, east: east, north: north))
        } catch {
            throw CommandError("--bounds: \(error)", status: Self.refused)
        }
        return order
    }

    private func estimate(_ export: TileExport, _ service: MapService) async throws {
        let begin = ContinuousClock.now
        let sample = await service.sample(export)
        let seconds = begin.duration(to: .now).inSeconds
        let share = Double(export.area.count) / Double(max(sample.done, 1))
        let megabytes = Double(sample.bytes) * share / 1e6
        print(
            "\(counted(export.area.count, "tile")), about \(megabytes.text(decimals: megabytes < 10 ? 1 : 0)) MB and "
                + "\(ExportPace.duration(seconds * share)), from a sample of \(sample.done) "
                + "(\(sample.absent) without a tile, \(sample.failed) unavailable)")
    }

    private func write(_ export: TileExport, _ service: MapService, _ target: ExportTarget) async throws {
        let line = ExportLine(total: export.area.count)
        let counts: TileExport.Progress
        do {
            counts = try await service.write(export, to: target) { counts in
                line.show(done: counts.done, failed: counts.failed)
            } failed: { failure in
                line.print("\(failure)")
            }
            line.clear()
        } catch TileExportError.noTiles(let failed) {
            line.clear()
            throw CommandError(TileExportError.noTiles(failed: failed))
        } catch {
            line.clear()
            throw CommandError(error, status: EX_IOERR)
        }
        let megabytes = Double(counts.bytes) / 1e6
        let size = "\(megabytes.text(decimals: megabytes < 10 ? 1 : 0)) MB of images"
        let lacking = cached ? "layer or the disk cache" : "layer"
        let absent = counts.absent > 0 ? "; the \(lacking) lacks \(ExportPace.grouped(counts.absent)) others" : ""
        complain("\(to): \(counted(counts.written, "tile")), \(size)\(absent)")
        guard counts.failed == 0 else {
            throw CommandError(
                "\(counted(counts.failed, "tile")) could not be exported; run the command again with --replace "
                    + "when the source works. The next run reuses the tiles in the disk cache")
        }
    }
}
