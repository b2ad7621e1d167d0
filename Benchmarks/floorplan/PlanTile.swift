import Foundation
import MapGeometry
import Raster
import Text

/// One tile of a floor's plan. All places are first computed in pixels of the whole world at the tile's zoom, so that
/// neighbouring tiles match.
struct PlanTile {
    static let side = 256

    let floor: Floor
    let coordinate: TileCoordinate
    private var canvas = Canvas(width: side, height: side)

    init(floor: Floor, coordinate: TileCoordinate) {
        self.floor = floor
        self.coordinate = coordinate
    }

    consuming func drawn() -> Pixmap {
        drawRooms()
        if coordinate.z >= 17 {
            for box in floor.furniture { fill(box, PlanColors.furniture) }
            drawStairs()
        }
        drawWalls()
        for door in floor.doors { draw(door) }
        if coordinate.z >= 17 { drawNames() }
        return canvas.pixmap
    }

    private mutating func drawRooms() {
        for room in floor.rooms {
            fill(room.box, PlanColors.fill(of: room.use))
            guard room.use == .void else { continue }
            let (box, line) = (room.box, PlanColors.furniture)
            stroke([(box.x, box.y), (box.x + box.width, box.y + box.height)], metres: 0.3, line)
            stroke([(box.x, box.y + box.height), (box.x + box.width, box.y)], metres: 0.3, line)
        }
    }

    private mutating func drawStairs() {
        for flight in floor.stairs {
            fill(flight, PlanColors.step)
            let treads = 10
            for tread in 0...treads {
                let y = flight.y + flight.height * Double(tread) / Double(treads)
                line(from: (flight.x, y), to: (flight.x + flight.width, y), metres: 0.15, PlanColors.furniture)
            }
            for x in [flight.x, flight.x + flight.width] {
                line(from: (x, flight.y), to: (x, flight.y + flight.height), metres: 0.15, PlanColors.furniture)
            }
        }
    }

    private mutating func drawWalls() {
        for room in floor.rooms { outline(room.box, metres: 0.45, PlanColors.wall) }
        // A terrace and its rail lie outside the thick wall.
        let outdoor = floor.rooms.first { $0.use == .outdoor }?.box
        let (right, bottom) = (Building.outline.width, Building.outline.height)
        let corner = outdoor.map { ($0.x, $0.y) } ?? (right, bottom)
        line(from: (0, 0), to: (right, 0), metres: 1, PlanColors.wall)
        line(from: (right, 0), to: (right, corner.1), metres: 1, PlanColors.wall)
        line(from: (corner.0, corner.1), to: (right, corner.1), metres: 1, PlanColors.wall)
        line(from: (corner.0, corner.1), to: (corner.0, bottom), metres: 1, PlanColors.wall)
        line(from: (0, bottom), to: (corner.0, bottom), metres: 1, PlanColors.wall)
        line(from: (0, 0), to: (0, bottom), metres: 1, PlanColors.wall)
    }

    /// Draws the gap in the wall, and from zoom 18 the leaf and its quarter circle.
    private mutating func draw(_ door: Door) {
        let half = door.width / 2
        let isVertical = door.swing == .east || door.swing == .west
        let (dx, dy) = isVertical ? (0, half) : (half, 0)
        line(
            from: (door.x - dx, door.y - dy), to: (door.x + dx, door.y + dy), metres: 1.05, PlanColors.threshold)
        guard coordinate.z >= 18 else { return }
        let start: Double =
            switch door.swing {
            case .north: -.pi / 2
            case .east: 0
            case .south: .pi / 2
            case .west: .pi
            }
        let hinge = (x: door.x - dx, y: door.y - dy)
        // The arc goes from the open leaf to the other end of the gap.
        let closed = isVertical ? Double.pi / 2 : 0
        let turn = (closed - start).remainder(dividingBy: 2 * .pi)
        let arc = (0...12).map { step in
            let angle = start + turn * Double(step) / 12
            return (hinge.x + door.width * cos(angle), hinge.y + door.width * sin(angle))
        }
        stroke([hinge] + arc, metres: 0.2, PlanColors.furniture)
    }

    private mutating func drawNames() {
        let font = Font(size: coordinate.z >= 18 ? 13 : 10)
        for room in floor.rooms {
            let left = place(room.box.x, room.box.y).x
            let right = place(room.box.x + room.box.width, room.box.y).x
            guard !room.name.isEmpty, font.width(of: room.name) + 6 <= right - left else { continue }
            let middle = place(room.box.middle.x, room.box.middle.y)
            let center = Point(x: middle.x.roundedHalfUp, y: middle.y.roundedHalfUp)
            let halo = Halo(color: PlanColors.fill(of: room.use), width: 2)
            canvas.draw(room.name, center: center, font: font, color: PlanColors.text, halo: halo)
        }
    }
}

extension PlanTile {
    /// Returns a place on the plan in pixels of this tile.
    private func place(_ x: Double, _ y: Double) -> Point {
        let world = Building.world(x, y)
        let worldSide = Double(Self.side * coordinate.span)
        return Point(
            x: world.x * worldSide - Double(coordinate.x) * Double(Self.side),
            y: world.y * worldSide - Double(coordinate.y) * Double(Self.side))
    }

    /// Returns a width in pixels, at least 1.
    private func pixels(_ metres: Double) -> Double {
        max(1, place(metres, 0).x - place(0, 0).x)
    }

    private mutating func fill(_ box: Box, _ color: RGBA) {
        let (start, end) = (place(box.x, box.y), place(box.x + box.width, box.y + box.height))
        canvas.fillRectangle(
            left: start.x.roundedHalfUp, top: start.y.roundedHalfUp, right: end.x.roundedHalfUp,
            bottom: end.y.roundedHalfUp,
            color: color)
    }

    /// Draws a horizontal or vertical line on whole pixels.
    private mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), metres: Double, _ color: RGBA
    ) {
        let width = pixels(metres).roundedHalfUp
        let (first, last) = (place(start.x, start.y), place(end.x, end.y))
        let (left, top) = ((first.x - width / 2).roundedHalfUp, (first.y - width / 2).roundedHalfUp)
        let isVertical = start.x == end.x
        let cap = color == PlanColors.wall ? width : 0
        let right = isVertical ? left + width : (last.x - width / 2).roundedHalfUp + cap
        let bottom = isVertical ? (last.y - width / 2).roundedHalfUp + cap : top + width
        canvas.fillRectangle(left: left, top: top, right: right, bottom: bottom, color: color)
    }

    private mutating func outline(_ box: Box, metres: Double, _ color: RGBA) {
        let (right, bottom) = (box.x + box.width, box.y + box.height)
        line(from: (box.x, box.y), to: (right, box.y), metres: metres, color)
        line(from: (box.x, bottom), to: (right, bottom), metres: metres, color)
        line(from: (box.x, box.y), to: (box.x, bottom), metres: metres, color)
        line(from: (right, box.y), to: (right, bottom), metres: metres, color)
    }

    private mutating func stroke(_ points: [(x: Double, y: Double)], metres: Double, _ color: RGBA) {
        canvas.stroke(Path(points.map { place($0.x, $0.y) }), width: pixels(metres), color: color)
    }
}
