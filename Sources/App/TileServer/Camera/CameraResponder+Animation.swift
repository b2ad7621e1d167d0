import Bytes
import HTTPServer
import Logging
import MapGeometry
import MapService

extension CameraResponder {
    /// The animation that `content` describes, drawn. `account`: what its pixels are taken from; `fields`: what the log says of
    /// the request where that has not so many.
    func animation(
        of content: SharedBytes, _ options: StaticOptions, _ layer: ServedLayer, _ account: ClientAccount?,
        _ fields: Logger.Metadata
    ) async -> Response {
        let flight: Result<StaticFlight, CameraRequestError>
        do {
            flight = try await work.run(for: Self.flights) {
                defer { withExtendedLifetime(content) {} }
                return Self.flight(content, options, layer)
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
        _ content: SharedBytes, _ options: StaticOptions, _ layer: ServedLayer
    ) -> Result<StaticFlight, CameraRequestError> {
        Result { () throws(CameraRequestError) -> StaticFlight in
            let body = try CameraBody(parsing: content.buffer)
            return try StaticFlight(
                layer, try body.flight(layer.cameraRules), scale: try body.drawnScale(), options)
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
        // All frames are of the same layers.
        let fields = FieldLines.make(described + (flight.jobs.first?.attributionFields ?? []))
        return Response(
            .ok, fields: fields, common: CommonFields.open, caching: Caching(isComplete ? .noCache : .noStore),
            body: animation.png)
    }
}
