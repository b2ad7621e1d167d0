/// The fuzz targets. Each takes bytes that may come from outside. A target must neither trap nor fail one of its
/// checks. The raw value is the name of its corpus and its dictionary.
enum FuzzTarget: String, CaseIterable, Sendable {
    case requestHead = "request-head"
    case requestBody = "request-body"
    case requestFields = "request-fields"
    case http2Frames = "http2-frames"
    case cacheControl = "cache-control"
    case httpDate = "http-date"
    case urlTemplate = "url-template"
    case configuration
    case imageHeader = "image-header"
    case png, jpeg, webp
    case json, geojson
    case mbtilesMetadata = "mbtiles-metadata"
    case pmtiles
    case cameraQuery = "camera-query"
    case cameraBody = "camera-body"
    case attribution
    case letters, font
    case expireList = "expire-list"
    case tileSet = "tile-set"
    case redisReply = "redis-reply"
    case fleetValue = "fleet-value"
    case fleetBatch = "fleet-batch"

    /// Feeds `bytes` to the target.
    func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .requestHead: Self.readHead(bytes)
        case .requestBody: Self.readBody(bytes)
        case .requestFields: Self.readFields(bytes)
        case .http2Frames: Self.exchangeFrames(bytes)
        case .cacheControl: Self.readTerms(bytes)
        case .httpDate: Self.readDate(bytes)
        case .urlTemplate: Self.readTemplate(bytes)
        case .configuration: Self.readConfiguration(bytes)
        case .imageHeader: Self.readImageHeader(bytes)
        case .png, .jpeg, .webp: Self.decodeImage(bytes)
        case .json: Self.readJSON(bytes)
        case .geojson: Self.drawGeoJSON(bytes)
        case .mbtilesMetadata: Self.readMetadata(bytes)
        case .pmtiles: Self.readPMTiles(bytes)
        case .cameraQuery: Self.readCameraQuery(bytes)
        case .cameraBody: Self.readCameraBody(bytes)
        case .attribution: Self.readAttribution(bytes)
        case .letters: Self.drawLetters(bytes)
        case .font: Self.readFont(bytes)
        case .expireList: Self.readExpireList(bytes)
        case .tileSet: Self.readTileSet(bytes)
        case .redisReply: Self.readReplies(bytes)
        case .fleetValue: Self.readFleetValue(bytes)
        case .fleetBatch: Self.readFleetBatch(bytes)
        }
    }

    /// Ends the process if `condition` is false, so that the fuzzer keeps the input.
    static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { fatalError(message()) }
    }

    /// Returns the bytes as text, with U+FFFD for bytes that are not UTF-8.
    static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
