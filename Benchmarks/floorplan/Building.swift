import Foundation
import MapGeometry

/// A rectangle on the building's plan in metres: x grows to the east and y to the south, from the north-west corner.
struct Box {
    let x, y, width, height: Double

    init(_ x: Double, _ y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var middle: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

    /// Returns `count` rectangles, each moved by `dx` and `dy` from the one before.
    func repeated(_ count: Int, dx: Double = 0, dy: Double = 0) -> [Box] {
        (0..<count).map { Box(x + Double($0) * dx, y + Double($0) * dy, width: width, height: height) }
    }
}

/// The use of a room, which decides its colour.
enum RoomUse: CaseIterable {
    case hall, passage, work, service, reading, food, outdoor, void
}

struct Room {
    let name: String
    let use: RoomUse
    let box: Box

    init(_ name: String, _ use: RoomUse, x: Double, y: Double, width: Double, height: Double) {
        self.name = name
        self.use = use
        box = Box(x, y, width: width, height: height)
    }
}

/// A gap in a wall with a door leaf that opens to one side.
struct Door {
    /// The middle of the gap.
    let x, y: Double
    let width: Double
    /// The direction of the open leaf.
    let swing: Swing

    enum Swing { case north, east, south, west }

    init(_ x: Double, _ y: Double, _ swing: Swing, width: Double = 2.6) {
        self.x = x
        self.y = y
        self.width = width
        self.swing = swing
    }
}

struct Floor {
    let number: Int
    let rooms: [Room]
    let doors: [Door]
    /// Flights of stairs, climbing northwards.
    let stairs: [Box]
    /// Shelves and tables.
    let furniture: [Box]
}

/// A fictional library at a real place, 140 by 84 metres.
enum Building {
    static let outline = Box(0, 0, width: 140, height: 84)
    static let floors = [Floor.ground, Floor.upper]

    /// Returns the world point of a place on the plan in metres.
    static func world(_ x: Double, _ y: Double) -> WorldPoint {
        WorldPoint(x: corner.x + x * worldPerMetre, y: corner.y + y * worldPerMetre)
    }

    private static let latitude = 49.2604
    private static let corner: WorldPoint = {
        // The initialiser returns nil only beyond ±90 degrees.
        guard let place = Coordinate(validating: latitude, longitude: -123.1111) else {
            preconditionFailure("no place")
        }
        return Mercator.project(place)
    }()

    /// The scale of the plan in the world. The projection enlarges by 1 / cos(latitude), which is constant for a small
    /// building.
    private static let worldPerMetre = 1 / (2 * Double.pi * Mercator.sphereRadius * cos(latitude * .pi / 180))
}
