import HTTPServer
import Reactor
import Tiles

extension Reply {
    /// The same, whose work is known to be done for `client`, whenever that is.
    func named(_ client: ClientAddress) -> Reply {
        switch self {
        case .ready, .stream: self
        case .pending(let work): .pending { await WorkClient.$current.withValue(client.bytes) { await work() } }
        case .callback(let begin):
            .callback { receive in
                WorkClient.$current.withValue(client.bytes) { begin { receive($0.named(client)) } }
            }
        }
    }

    /// The same, whose work is known to be part of `trace`, whenever it is done.
    func traced(_ trace: TraceContext?) -> Reply {
        guard let trace else { return self }
        return switch self {
        case .ready, .stream: self
        case .pending(let work): .pending { await TraceContext.$current.withValue(trace) { await work() } }
        case .callback(let begin):
            .callback { receive in
                TraceContext.$current.withValue(trace) { begin { receive($0.traced(trace)) } }
            }
        }
    }
}
