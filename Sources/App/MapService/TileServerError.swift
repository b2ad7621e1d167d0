import TileCache

/// An error that a `TileServer` throws to the program that embeds it, for example because of an invalid layer id.
public enum TileServerError: Error, Hashable, Sendable {
    /// The id cannot stand in a URL. An id has 1…64 of `a-z`, `0-9`, `_` and `-`, and begins with a letter or a digit.
    case invalidID(String)
    /// The id is reserved for routes of the server, see `LayerSettings.reservedIDs`.
    case reservedID(String)
    /// A layer or map with this id exists already.
    case duplicateID(String)
    /// No layer or map has this id.
    case unknownLayer(String)
    /// The map draws a layer that does not exist. A map cannot draw another map.
    case unknownLayerInMap(String, map: String)
    /// The layer cannot be removed because these maps draw it.
    case layerInUse(String, maps: [String])
    /// The value of a property is out of its range.
    case invalidValue(layer: String, property: String, expected: String, found: String)
    /// The layer cannot be made from its source, for example because of a wrong URL template or a missing file.
    case layerNotMade(String, reason: String)
    /// There would be more than 16,000 layers and maps at a time.
    case tooManyLayers
    /// A call names more than 100,000 tiles.
    case tooManyTiles
    /// No tile has this coordinate. Zooms are 0…30, `x` and `y` are from 0 to 2^zoom - 1.
    case invalidCoordinate(x: Int, y: Int, zoom: Int)
    /// The layer has no tiles with this number of pixels per point.
    case invalidScale(Int, layer: String)
    /// The description of an image has a wrong value. `parameter` has the name of the value over HTTP, such as
    /// `padding` or `duration`, or `to` for the end of a flight.
    case invalidPicture(parameter: String, reason: String)
    /// The image of the map could not be drawn, for example because tiles, memory or time were missing.
    case noPicture(String, reason: String)
    /// The server cannot listen: for example, the address does not belong to this machine, or the port is in use.
    case cannotListen(host: String, port: Int, reason: String)
    /// The operating system refuses something that the server needs, a needed file is unusable, or a setting has a
    /// wrong value.
    case cannotStart(reason: String)
    /// The server is stopped.
    case stopped
}

extension TileServerError: CustomStringConvertible {
    /// A sentence that explains the error to people.
    public var description: String {
        switch self {
        case .invalidID(let id):
            "\"\(id)\" is no valid layer name: expected 1 to 64 characters from a-z, 0-9, _ and -, with a "
                + "letter or a digit first"
        case .reservedID(let id): "the name \(id) is reserved for the server; choose another name"
        case .duplicateID(let id): "the name \(id) is already used by a layer or map"
        case .unknownLayer(let id): "no layer or map is named \"\(id)\""
        case .unknownLayerInMap(let id, let map): "the map \(map) draws \"\(id)\", but no layer has this name"
        case .layerInUse(let id, let maps): "the layer \(id) is part of the map \(maps.joined(separator: " and "))"
        case .invalidValue(let layer, let property, let expected, let found):
            "layer \(layer): expected \(property) to be \(expected), found \(found)"
        case .layerNotMade(let id, let reason): "layer \(id): \(reason)"
        case .tooManyLayers: "more than \(MapService.mostLayers) layers and maps"
        case .tooManyTiles: "more than \(TileSet.mostTiles) tiles"
        case .invalidCoordinate(let x, let y, let zoom):
            "expected a zoom in 0…30 and x and y below 2^zoom, found zoom \(zoom), x \(x), y \(y)"
        case .invalidScale(let scale, let layer): "layer \(layer) has no tiles of \(scale) pixels per point"
        case .invalidPicture(let parameter, let reason): "\(parameter): \(reason)"
        case .noPicture(let id, let reason): "no image of \(id): \(reason)"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .cannotStart(let reason): reason
        case .stopped: "the server was stopped"
        }
    }

    /// Converts an error in the description of an image.
    package init(_ fault: CameraRequestError) {
        self = .invalidPicture(parameter: fault.field, reason: fault.title)
    }

    /// Converts any error. Errors of unknown types become `.cannotStart`.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as TileServerError: error
            case let fault as LayerFactory.LayerError: .layerNotMade(fault.layer, reason: fault.reason)
            default: .cannotStart(reason: "\(error)")
            }
    }
}
