import Raster

enum PlanColors {
    static let wall = RGBA(red: 58, green: 64, blue: 74)
    static let threshold = RGBA(red: 250, green: 249, blue: 246)
    static let furniture = RGBA(red: 158, green: 160, blue: 164)
    static let step = RGBA(red: 255, green: 255, blue: 255)
    static let text = RGBA(red: 48, green: 54, blue: 64)

    static func fill(of use: RoomUse) -> RGBA {
        switch use {
        case .hall: RGBA(red: 250, green: 231, blue: 200)
        case .passage: RGBA(red: 250, green: 249, blue: 246)
        case .work: RGBA(red: 217, green: 229, blue: 242)
        case .service: RGBA(red: 230, green: 230, blue: 232)
        case .reading: RGBA(red: 220, green: 235, blue: 214)
        case .food: RGBA(red: 247, green: 219, blue: 213)
        case .outdoor: RGBA(red: 232, green: 238, blue: 220)
        case .void: RGBA(red: 255, green: 255, blue: 255)
        }
    }
}
