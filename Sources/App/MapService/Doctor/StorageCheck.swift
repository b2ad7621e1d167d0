import Configuration
import TileCache

/// Checks the directory of the server, and whether the disk has room for the disk tier. Pure, except that
/// `findings(_:)` reads the state of the disk. The check changes nothing.
enum StorageCheck {
    static func findings(_ configuration: Configuration) -> [Finding] {
        var findings = [directory(configuration)]
        guard let disk = configuration.cache.disk else {
            return findings + [
                .ok("cache.disk", "not configured: tiles are kept in memory alone, and go with the process")
            ]
        }
        let path = disk.path(in: configuration.cache.directory)
        let inspection = DiskInspection(path: path)
        findings += file(inspection, path)
        findings += space(inspection, disk)
        return findings
    }

    private static func directory(_ configuration: Configuration) -> Finding {
        if let fault = configuration.unwritableDirectory() {
            let key = fault.keys.joined(separator: ".")
            return .fault(key, fault.message, "\(key): a directory that the server's user can write in")
        }
        return .ok("cache.directory", "\(configuration.cache.directory): can be written, or made")
    }

    static func file(_ found: DiskInspection, _ path: String) -> [Finding] {
        let (subject, size) = ("cache.disk", Measure.bytes(found.bytes))
        switch found.content {
        case .nothing: return [.ok(subject, "\(path): not there yet; the server makes it")]
        case .tileCache:
            let use = found.holder.map {
                $0 == 0 ? ", in use by a server" : ", in use by the server that is process \($0)"
            }
            return [.ok(subject, "\(path): \(size)\(use ?? "")")]
        case .damaged:
            return [
                .warning(
                    subject, "\(path): damaged (\(size)); the server renames it and begins anew",
                    "nothing, or remove the file while no server runs")
            ]
        case .unreadable(let reason):
            return [
                .fault(subject, "\(path): cannot be opened: \(reason)", "cache.disk.path, or the file's owner and mode")
            ]
        case .refused(let error): return [.fault(subject, "\(error)", "cache.disk.path: another file")]
        }
    }

    static func space(_ found: DiskInspection, _ settings: DiskSettings) -> [Finding] {
        guard let free = found.freeBytes else { return [] }
        let text = "\(Measure.bytes(free)) free on the disk of the cache"
        var finding: Finding
        if free < settings.minFree {
            finding = .fault(
                "cache.disk.minFree",
                "\(text), less than minFree (\(Measure.bytes(settings.minFree))): nothing is stored",
                "cache.disk.minFree: less, or free some of the disk")
        } else if case let growth = settings.maxBytes - found.bytes, free - settings.minFree < growth {
            finding = .warning(
                "cache.disk.maxBytes",
                "\(text): the cache may grow by \(Measure.bytes(growth)) to maxBytes (\(Measure.bytes(settings.maxBytes))), and stops "
                    + "at minFree (\(Measure.bytes(settings.minFree))) before that",
                "cache.disk.maxBytes: \(Measure.bytes(max(found.bytes + free - settings.minFree, 1 << 20))) at most")
        } else {
            finding = .ok("cache.disk.maxBytes", "\(text), enough for maxBytes (\(Measure.bytes(settings.maxBytes)))")
        }
        finding.figures = ["freeBytes": .number(Double(free)), "cacheBytes": .number(Double(found.bytes))]
        return [finding]
    }
}
