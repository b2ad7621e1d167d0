import Bytes
import HTTPServer
import Logging
import MapGeometry
import MapService
import Runtime

/// Answers questions about a map's camera (docs/reference/http.md, "The camera over HTTP"). Most answers are only
/// numbers and need no tiles. An animation can also be drawn as an image.
struct CameraResponder: Sendable {
    let layers: LayerTable
    /// The queue for work that takes too long for a reactor.
    let work: WorkQueue
    /// Draws animations.
    let renderer: StaticRenderer
    let limits: ClientLimits

    /// Returns the reply to a question about the map or layer `name`.
    func reply(to request: Request, map name: UnsafeRawBufferPointer, _ question: CameraQuestion) -> Reply {
        guard let index = layers.index(of: name) else { return .ready(TileAnswers.unknownLayer) }
        let layer = layers.layers[index]
        do throws(CameraRequestError) {
            if request.method == .post {
                let content = SharedBytes(request.content)
                if question == .animation, AcceptField(request).prefersAPNG {
                    let options = try StaticOptions(request.query)
                    let account = limits.account(for: .pixels, of: request)
                    let fields = account.map { _ in request.logFields } ?? [:]
                    return .pending { await animation(of: content, options, layer, account: account, fields: fields) }
                }
                return .pending { await answer(content, question, layer.cameraRules) }
            }
            let parameters = QueryParameters(request.query)
            return try answer(parameters, question, layer)
        } catch {
            return .ready(error.response)
        }
    }

    /// The name of this class of work on the queue. The classes take turns, because some questions take a hundred times
    /// longer than others.
    static let flights = "flight"

    // MARK: POST

    /// Answers a question that was sent with POST. Reading many updates or computing thousands of frames takes a while,
    /// so this work runs on the queue and not on a reactor.
    private func answer(_ content: SharedBytes, _ question: CameraQuestion, _ map: MapCameraRules) async -> Response {
        do {
            return try await work.run(for: question == .animation ? Self.flights : "camera") {
                do throws(CameraRequestError) {
                    defer { withExtendedLifetime(content) {} }
                    return try Self.answer(CameraBody(parsing: content.buffer), question, map)
                } catch {
                    return error.response
                }
            }
        } catch {
            return TileAnswers.unavailable(.overloaded, retryAfter: 2)
        }
    }

    private static func answer(
        _ body: CameraBody, _ question: CameraQuestion, _ map: MapCameraRules
    ) throws(CameraRequestError) -> Response {
        guard question == .animation else {
            let move = try body.move(map)
            return answer(CameraDocument.camera(move.end, move.view))
        }
        let flight = try body.flight(map)
        let frames = ["frames": flight.frames.map(CameraDocument.position), "fps": flight.fps] as [String: Any]
        return response(JSONBody.bytes(frames), [("Vary", "Accept")])
    }

    // MARK: GET

    private func answer(
        _ parameters: QueryParameters, _ question: CameraQuestion, _ layer: ServedLayer
    ) throws(CameraRequestError) -> Reply {
        let query = try CameraQuery(parameters, layer.cameraRules)
        return try CameraRequestError.translating {
            switch question {
            case .camera, .animation:
                let camera = query.view.normalized(query.position)
                return .ready(Self.answer(CameraDocument.camera(camera, query.view)))
            case .forBounds: return .ready(try forBounds(parameters, query.view))
            case .cover:
                let cover = try cover(parameters, query, layer)
                return .pending { await document(of: cover) }
            case .point, .coordinate, .visibleRegion, .pointsForMeters, .contains:
                let projection = try query.view.projection(of: query.position)
                return .ready(Self.answer(try CameraDocument.projection(projection, question, parameters)))
            }
        }
    }

    private func forBounds(_ parameters: QueryParameters, _ view: MapView) throws -> Response {
        let camera = try view.camera(for: try parameters.bounds(), insets: try parameters.insets("insets") ?? .zero)
        return Self.answer(["camera": CameraDocument.position(camera.position)])
    }

    private func cover(
        _ parameters: QueryParameters, _ query: CameraQuery, _ layer: ServedLayer
    ) throws -> @Sendable () -> TileCover {
        let size = try parameters.number("tileSize") ?? Double(layer.settings.tileSize)
        let tileSize = try Int.whole(size, "tileSize", in: 64...4_096)
        let scale = try Int.whole(parameters.number("scale") ?? 1, "scale", in: 1...4)
        let projection = try query.view.projection(of: query.position)
        let zoom = query.view.tileZoom(of: query.position, scale: scale, tileSize: tileSize) ?? 0
        return { projection.cover(tileZoom: zoom) }
    }

    private func document(of cover: @escaping @Sendable () -> TileCover) async -> Response {
        do {
            return Self.response(
                try await work.run(for: "cover") { JSONBody.bytes(CameraDocument.cover(cover())) })
        } catch {
            return TileAnswers.unavailable(.overloaded, retryAfter: 2)
        }
    }

    private static func answer(_ document: [String: Any]) -> Response { response(JSONBody.bytes(document)) }

    /// Clients must revalidate, because the answer changes when the configuration changes.
    private static func response(_ body: SharedBytes, _ fields: [(name: String, value: String)] = []) -> Response {
        .json(body, .noCache, fields: fields)
    }
}

extension CameraResponder {
    /// Draws the animation that `content` describes. The pixels of the animation are subtracted from the client's
    /// `account`. If the account has too few pixels, the refusal is logged with `fields`, which describe the request.
    func animation(
        of content: SharedBytes, _ options: StaticOptions, _ layer: ServedLayer, account: ClientAccount?,
        fields: Logger.Metadata
    ) async -> Response {
        let flight: Result<StaticFlight, CameraRequestError>
        do {
            flight = try await work.run(for: Self.flights) {
                defer { withExtendedLifetime(content) {} }
                return Self.flight(content, options, layer) { layers[$0] }
            }
        } catch {
            return TileAnswers.unavailable(.overloaded, retryAfter: 2)
        }
        switch flight {
        case .failure(let fault): return fault.response
        case .success(let flight):
            let refusal = account?.refusal(of: flight.pixels, at: renderer.loader.now(), fields)
            if let refusal { return refusal }
            return await response(of: flight, account)
        }
    }

    private static func flight(
        _ content: SharedBytes, _ options: StaticOptions, _ layer: ServedLayer, find: (String) -> ServedLayer?
    ) -> Result<StaticFlight, CameraRequestError> {
        Result { () throws(CameraRequestError) -> StaticFlight in
            let body = try CameraBody(parsing: content.buffer)
            return try StaticFlight(
                layer, try body.flight(layer.cameraRules), scale: try body.drawnScale(), options,
                stack: try ImageStack(options.layers, find: find))
        }
    }

    private func response(of flight: StaticFlight, _ account: ClientAccount?) async -> Response {
        let animation: StaticRenderer.Animation
        do throws(StaticRenderer.RenderingError) {
            animation = try await renderer.animation(flight)
        } catch {
            if error.hasDrawnNothing { account?.giveBack(flight.pixels) }
            return error.response
        }
        let isComplete = animation.missing == 0
        guard isComplete || flight.options.allowsPartial else {
            return TileAnswers.unavailable(.failed, retryAfter: 5)
        }
        let described = [
            ("Content-Type", "image/apng"), ("Vary", "Accept"),
            (OwnField.renderStatus.rawValue, isComplete ? "complete" : "partial"),
        ]
        // All frames draw the same layers, so the first frame has all attributions.
        let fields = FieldLines.make(described + (flight.jobs.first?.attributionFields ?? []))
        return Response(
            .ok, fields: fields, common: CommonFields.open, caching: Caching(isComplete ? .noCache : .noStore),
            body: animation.png)
    }
}
