import EventLog
import Keys
import Logging
import RedisClient

extension EventLog {
    /// Whether Redis is asked.
    func record(_ state: RedisState, at url: RedisURL) {
        switch state {
        case .up: record("shared_up", level: .info, ["redis": .string("\(url)")])
        case .down(let why): record("shared_down", ["redis": .string("\(url)"), "why": .string(why)])
        }
    }

    func record(_ event: FleetAgreement.Event) {
        var fields: Logger.Metadata = [
            "node": .string(event.node), "state": event.difference == nil ? "over" : "begun",
        ]
        if let difference = event.difference { fields["in"] = .string(difference.name) }
        switch event.difference {
        case .clock(let seconds)?: fields["ahead"] = .stringConvertible(seconds)
        case .facts(.layers(let layers))?: fields["layers"] = .string(layers.joined(separator: " "))
        case .facts?, nil: break
        }
        record("fleet_differs", level: event.difference == nil ? .info : .error, fields)
    }

    func record(_ event: FleetEvent) {
        switch event {
        case .missed(let layer): record("fleet_missed", layer: layer)
        case .forked(let layer): record("fleet_fork", layer: layer)
        case .lease(true, _): record("fleet_lease", level: .info, ["state": "over"])
        case .lease(false, let seconds):
            record("fleet_lease", ["state": "begun", "silent": .stringConvertible(seconds)])
        case .refused(nil): record("fleet_refused", level: .info, ["state": "over"])
        case .refused(let why?): record("fleet_refused", ["state": "begun", "why": .string(why)])
        case .sameName(let isOver):
            record("fleet_same_name", level: isOver ? .info : .error, ["state": isOver ? "over" : "begun"])
        case .unwritten(let path, let code):
            // Tried each second.
            record(
                "fleet_state_failed", pace: .oncePerMinute, ["path": .string(path), "errno": .stringConvertible(code)])
        }
    }
}
