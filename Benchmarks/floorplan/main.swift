import Bytes
import Foundation
import MapGeometry
import Raster

/// Returns the tiles of zoom `zoom` that contain a part of the building, its outer wall included.
func tiles(atZoom zoom: Int) -> [TileCoordinate] {
    let wall = 0.5
    let (start, end) = (
        Building.world(-wall, -wall), Building.world(Building.outline.width + wall, Building.outline.height + wall)
    )
    let span = Double(1 << zoom)
    return (Int(start.x * span)...Int(end.x * span)).flatMap { x in
        (Int(start.y * span)...Int(end.y * span)).compactMap { y in TileCoordinate(z: zoom, x: x, y: y) }
    }
}

guard CommandLine.arguments.count == 2, let directory = CommandLine.arguments.last else {
    FileHandle.standardError.write(Data("usage: floorplan <directory>\n".utf8))
    exit(EX_USAGE)
}
let folder = URL(fileURLWithPath: directory, isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var (count, size) = (0, 0)
for floor in Building.floors {
    for tile in (15...18).flatMap(tiles(atZoom:)) {
        let png = try PNGEncoder.encode(PlanTile(floor: floor, coordinate: tile).drawn())
        let name = "L\(floor.number)_\(tile.z)_\(tile.x)_\(tile.y).png"
        try Data(png.array).write(to: folder.appendingPathComponent(name))
        count += 1
        size += png.count
    }
}
print("\(count) tiles, \(size) bytes in \(directory)")
