import Bytes
import Configuration
import EventLog
import Logging
import MapGeometry
import Runtime
import Testing
import TileCache

@testable import MapService

/// Tests of images that are drawn within a memory budget.
@Suite struct ImageMemoryTests {
    /// A map of two layers with a renderer that may use `bytes` of memory.
    private struct Drawing {
        let service: MapService
        let budget: MemoryBudget
        let renderer: StaticRenderer

        init(bytes: Int) throws {
            let text =
                "layers:\n  squares: { generator: checkerboard }\n  grid: { generator: grid }\n"
                + "maps:\n  both: { layers: [squares, grid] }\n"
            let quiet = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            service = try MapService(
                try Configuration.parse(text: text, file: "test.yaml"), embedded: EmbeddedLayers(),
                reactors: [try Reactor(label: "test")],
                log: quiet
            ) { tile, hash, validators, date, _, _ in
                let tag = hash.entityTag
                return TileEntry(
                    tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(tag),
                    tag: 0..<tag.utf8.count)
            }
            budget = MemoryBudget(bytes: bytes)
            renderer = StaticRenderer(
                loader: service.loader, work: service.work.images, images: ConcurrencyLimit(width: 2, depth: 4),
                animations: ConcurrencyLimit(width: 1, depth: 4), memory: budget
            ) { _, _ in }
        }

        func picture(bearing: Double = 30) throws -> MapPicture {
            let camera = try CameraPosition.checked(latitude: 10, longitude: 20, zoom: 5.3, bearing: bearing)
            return MapPicture(of: .camera(camera), size: try ImageSize.checked(width: 512, height: 400, scale: 2))
        }

        func job() throws -> StaticJob {
            try picture().job(try service.layer("both")) { _ in nil }
        }

        func image() async throws -> StaticRenderer.RenderedImage {
            try await renderer.image(try job()) { done, all in #expect(done <= all) }
        }
    }

    /// Pixels use most of the small budget, and few tiles fit beside them. The renderer therefore draws each layer on
    /// its own, in bands.
    @Test func drawsTheSameImageInLittleMemory() async throws {
        let (much, little) = (try Drawing(bytes: 1 << 40), try Drawing(bytes: 20_000_000))
        let (first, second) = (
            try #require(PlannedImage(try much.job(), most: much.budget.most(for: .images))),
            try #require(PlannedImage(try little.job(), most: little.budget.most(for: .images)))
        )
        #expect(first.schedule.steps.count == 1)
        #expect(second.schedule.steps.count > 2 && second.tileLimit < first.schedule.tileBytes)
        #expect(second.imageCost <= little.budget.most(for: .images))

        let (whole, parts) = (try await much.image(), try await little.image())
        #expect(whole.image == parts.image && whole.missing == 0 && parts.missing == 0)
        #expect(little.budget.used == 0)
    }

    @Test func refusesAtOnceAnImageThatNeverFits() async throws {
        let drawing = try Drawing(bytes: 4_000_000)
        await #expect {
            _ = try await drawing.image()
        } throws: { error in
            if case StaticRenderer.RenderingError.tooLarge = error { true } else { false }
        }
        #expect(drawing.budget.used == 0)
        // No tile was requested.
        #expect(drawing.service.loader.memoryUsage.entries == 0)
    }

    @Test func waitsForFreeMemory() async throws {
        let drawing = try Drawing(bytes: 30_000_000)
        let most = drawing.budget.most(for: .images)
        let other = try #require(drawing.budget.reservation(of: most, for: .images))
        let image = Task { try await drawing.image().missing }
        let leaver = Task { try await drawing.image().missing }
        leaver.cancel()
        await #expect {
            _ = try await leaver.value
        } throws: { error in
            if case StaticRenderer.RenderingError.abandoned = error { true } else { false }
        }
        other.release()
        #expect(try await image.value == 0)
        #expect(drawing.budget.used == 0)
    }

    @Test func releasesTheMemoryOfAnAnimation() async throws {
        let drawing = try Drawing(bytes: 80_000_000)
        let job = try drawing.job()
        let end = MapPicture.Subject.camera(try drawing.picture(bearing: 60).subject.position)
        let flight = try drawing.picture().frames(
            of: MapPicture.Flight(to: end, duration: 0.1, fps: 30), from: job)
        let animation = try await drawing.renderer.animation(flight)
        #expect(animation.frames == flight.jobs.count && animation.missing == 0)
        #expect(drawing.budget.used == 0)
    }
}

extension MapPicture.Subject {
    fileprivate var position: CameraPosition {
        get throws {
            guard case .camera(let position) = self else { throw CancellationError() }
            return position
        }
    }
}
