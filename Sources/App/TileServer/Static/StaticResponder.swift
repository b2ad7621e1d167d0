import Bytes
import CDN
import HTTPServer
import MapService
import Runtime
import TileCache

/// Answers requests for static images, which show a map in the view of a camera (docs/spec/model.md 11).
struct StaticResponder: Sendable {
    let layers: LayerTable
    let images: StaticImages
    let renderer: StaticRenderer
    let limits: ClientLimits
    /// The tags and the maximum age for caches in front of the server, as in `TileResponder`.
    private let tags: CDNTagger
    private let sharedMaxAge: Int
    private let targets: StaticTargets

    /// Minimum number of pixels that an image counts for each of its layers: the pixels of one tile.
    private static let leastPixelsOfALayer = 65_536

    init(
        layers: LayerTable, images: StaticImages, renderer: StaticRenderer, limits: ClientLimits, tags: CDNTagger,
        sharedMaxAge: Int
    ) {
        self.tags = tags
        self.sharedMaxAge = sharedMaxAge
        self.layers = layers
        self.images = images
        self.renderer = renderer
        self.limits = limits
        targets = StaticTargets(budget: images.budget / 16)
    }

    /// Returns the reply to a request. `subject` and `size` are the two segments after `/{map}/static/`.
    func reply(
        to request: Request, map name: UnsafeRawBufferPointer, subject: UnsafeRawBufferPointer,
        size: UnsafeRawBufferPointer
    ) -> Reply {
        // Known targets are not parsed again: parsing thousands of coordinates would be most of the cost of a cache
        // hit.
        if let known = targets.find(request), let image = images.image(for: known.key, now: request.time) {
            return .ready(hit(image, known.camera, request))
        }
        guard let index = layers.index(of: name) else { return .ready(TileAnswers.unknownLayer) }
        do throws(CameraRequestError) {
            let path = try StaticPath(subject: subject, size: size)
            let options = try StaticOptions(request.query)
            let job = try StaticJob(
                layers.layers[index], path.subject, path.size, options: options,
                stack: try ImageStack(options.layers) { layers[$0] }, as: path.form)
            let target = StaticTargets.Target(request, job)
            if let image = images.image(for: target.key, now: request.time) {
                targets.keep(target)
                return .ready(hit(image, target.camera, request))
            }
            let kept = Conditions(request.fields).kept
            // Even the smallest image needs a tile of each of its layers, which is more work than its own pixels.
            let pixels = max(path.size.pixels, job.layerCount * Self.leastPixelsOfALayer)
            let account = limits.account(for: .pixels, of: request)
            let refusal = account?.refusal(of: pixels, at: request.time, request.logFields)
            if let refusal { return .ready(refusal) }
            return .pending {
                await draw(job, target, kept) { account?.giveBack(pixels) }
            }
        } catch {
            return .ready(error.response)
        }
    }

    private func hit(_ image: StaticImages.Image, _ camera: SharedBytes, _ request: Request) -> Response {
        let conditions = Conditions(request.fields)
        return answer(image, camera, request.time, isHit: true) {
            conditions.isUnchanged(etag: $0, lastModified: nil)
        }
    }

    /// Draws the image and returns the response. Calls `drawsNothing` if nothing had to be drawn, because another
    /// request had already drawn the image. Also calls `drawsNothing` if the drawing failed with an error whose
    /// `hasDrawnNothing` is true.
    private func draw(
        _ job: StaticJob, _ target: StaticTargets.Target, _ conditions: Conditions.Kept?,
        drawsNothing: @Sendable () -> Void
    ) async -> Response {
        let (key, camera) = (target.key, target.camera)
        let epoch = images.epoch
        let rendered: StaticRenderer.RenderedImage
        do throws(StaticRenderer.RenderingError) {
            let find = { @Sendable in images.image(for: key, now: renderer.loader.now()) }
            switch try await renderer.image(job, unlessFound: find) {
            case .drawn(let image): rendered = image
            case .found(let image):
                drawsNothing()
                return answer(image, camera, renderer.loader.now(), isHit: true) {
                    conditions?.isUnchanged(etag: $0) ?? false
                }
            }
        } catch {
            if error.hasDrawnNothing { drawsNothing() }
            return error.response
        }
        guard rendered.missing == 0 || job.options.allowsPartial else {
            return TileAnswers.unavailable(.failed, retryAfter: 5)
        }
        let now = renderer.loader.now()
        let image = image(of: rendered, job, now, date: renderer.loader.date())
        if rendered.missing > 0 || !rendered.life.mayBeKept { return Self.unkept(image, camera) }
        guard images.keep(image, for: key, epoch: epoch) else { return Self.unkept(image, camera) }
        targets.keep(target)
        return answer(image, camera, now, isHit: false) { conditions?.isUnchanged(etag: $0) ?? false }
    }

    private func image(
        of rendered: StaticRenderer.RenderedImage, _ job: StaticJob, _ now: MonotonicTime, date: Int
    ) -> StaticImages.Image {
        let etag = ContentHash(of: rendered.image.bytes).entityTag
        var fields = FieldLines()
        fields.add("ETag", etag)
        fields.add("Content-Type", rendered.image.format.mediaType)
        fields.add(.renderStatus, rendered.missing == 0 ? "complete" : "partial")
        fields.add("Date", HTTPDate.format(date))
        if let zoom = rendered.tileZoom { fields.add(.renderTileZoom, String(zoom)) }
        for (name, value) in job.attributionFields { fields.add(name, value) }
        let lines = fields.shared
        return StaticImages.Image(
            bytes: rendered.image.bytes, etag: etag,
            fields: tags.imageLines(of: job.sources.map(\.id)).map { SharedBytes(lines.array + $0.array) } ?? lines,
            born: now, life: rendered.life.ofImage(atMost: job.sources.map(\.control.maxAge).min() ?? 0))
    }

    private static func unkept(_ image: StaticImages.Image, _ camera: SharedBytes) -> Response {
        Response(
            .ok, fields: fields(of: image, camera), common: CommonFields.open,
            caching: Caching(.noStore, status: CacheStatus.miss(Loaded.Fill()).line),
            body: image.bytes, isDated: true)
    }

    /// Adds the camera of the request to the header lines of the image. One cached image serves cameras whose
    /// difference is invisible.
    private static func fields(of image: StaticImages.Image, _ camera: SharedBytes) -> SharedBytes {
        SharedBytes(capacity: image.fields.count + camera.count) { target in
            target.copyMemory(from: image.fields.buffer)
            UnsafeMutableRawBufferPointer(rebasing: target[image.fields.count...]).copyMemory(from: camera.buffer)
            return target.count
        }
    }

    private func answer(
        _ image: StaticImages.Image, _ camera: SharedBytes, _ now: MonotonicTime, isHit: Bool,
        isUnchanged: (UnsafeRawBufferPointer) -> Bool
    ) -> Response {
        let left = max(Int(image.expires.seconds(since: now)), 0)
        let age = max(Int(now.seconds(since: image.born)), 0)
        var fill = Loaded.Fill()
        fill.stored = true
        let status = isHit ? CacheStatus.hit(ttl: left, tier: "memory") : .miss(fill)
        var caching = Caching(
            Caching.Control(image.life, age: age, left: left), age: isHit ? age : nil, status: status.line)
        caching.sharedMaxAge = Caching.sharedMaxAge(image.life, age: age, atMost: sharedMaxAge)
        let etag = SharedBytes(image.etag)
        let isKnown = withExtendedLifetime(etag) { isUnchanged(etag.buffer) }
        return Response(
            isKnown ? .notModified : .ok, fields: Self.fields(of: image, camera), common: CommonFields.open,
            caching: caching,
            body: isKnown ? .empty : image.bytes, isDated: true)
    }
}

extension StaticRenderer.RenderingError {
    /// The error response instead of the image or the animation.
    var response: Response {
        switch self {
        case .overloaded(let seconds, _): TileAnswers.unavailable(.overloaded, retryAfter: seconds)
        case .tooLarge: Self.tooLarge
        case .tooMuch(let fault): fault.response
        // A client that has closed its sending side may still read a response.
        case .failed, .abandoned: TileAnswers.unavailable(.failed, retryAfter: 2)
        case .late: TileAnswers.unavailable(.timeout, retryAfter: 2)
        }
    }

    /// No `Retry-After`, because a later request has the same result.
    private static let tooLarge = Problem(
        .serviceUnavailable, "picture-too-large", "The image needs more memory than images may use on this server."
    ).response()
}
