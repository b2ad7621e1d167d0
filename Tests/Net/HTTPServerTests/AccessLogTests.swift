import TestSupport
import Testing

@testable import HTTPServer

@Suite struct AccessLogTests {
    private func share(_ log: AccessLog, isError: Bool) -> Double {
        var random = SeededRandom(seed: 7)
        return Double((0..<100_000).count { _ in log.wants(random.next(), isError: isError) }) / 100_000
    }

    @Test(arguments: [0, 0.01, 0.5, 0.999_999_999_999_999_9, 1]) func writesAShareAndEveryError(sample: Double) {
        let log = AccessLog(.all, sample: sample)
        #expect(abs(share(log, isError: false) - sample) < 0.005)
        #expect(share(log, isError: true) == 1)
    }

    @Test func writesAllRequestsOrNoRequest() {
        #expect(AccessLog(.all).wants(.max, isError: false) && !AccessLog(.all, sample: 0).wants(0, isError: false))
        #expect(
            share(AccessLog(.errors), isError: false) == 0 && share(AccessLog(.errors, sample: 0), isError: true) == 1)
        #expect(share(.off, isError: true) == 0 && !AccessLog.off.isOn && AccessLog(.errors).isOn)
    }
}
