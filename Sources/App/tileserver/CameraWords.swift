import MapGeometry
import TileServer

/// Parses the camera updates in the arguments of a command. An update is a name, followed by its numbers.
enum CameraWords {
    static let help = """
        Updates, as the SDK's GMSCameraUpdate has them. LAT,LNG can also be lat=…,lng=…, with zoom=…, bearing=… and
        tilt=… for a camera:
          zoom-in, zoom-out
          zoom-to ZOOM
          zoom-by DELTA [X,Y]        X,Y: the point that does not move
          set-target LAT,LNG [ZOOM]
          set-camera LAT,LNG,ZOOM[,BEARING[,TILT]]
          scroll-by X,Y              points to the right and downwards
          fit-bounds LAT,LNG,LAT,LNG [PADDING | TOP,LEFT,BOTTOM,RIGHT]
                                     two opposite corners; default padding 64
          to-location LAT,LNG        to-zoom ZOOM
          to-bearing DEGREES         to-viewing-angle DEGREES
        """

    /// The numbers of each update: first the required numbers, then the optional ones.
    private static let forms: [String: (needed: Form?, more: Form?)] = [
        "zoom-in": (nil, nil), "zoom-out": (nil, nil), "zoom-to": (.one("ZOOM"), nil), "to-zoom": (.one("ZOOM"), nil),
        "zoom-by": (.one("DELTA"), Form("X,Y", [2])), "set-target": (.place, .one("ZOOM")),
        "to-location": (.place, nil),
        "set-camera": (Form("LAT,LNG,ZOOM[,BEARING[,TILT]]", [3, 4, 5]), nil), "scroll-by": (Form("X,Y", [2]), nil),
        "fit-bounds": (Form("LAT,LNG,LAT,LNG", [4]), Form("PADDING or TOP,LEFT,BOTTOM,RIGHT", [1, 4])),
        "to-bearing": (.one("DEGREES"), nil), "to-viewing-angle": (.one("DEGREES"), nil),
    ]

    private struct Form {
        let text: String
        let counts: [Int]

        init(_ text: String, _ counts: [Int]) {
            self.text = text
            self.counts = counts
        }

        static func one(_ text: String) -> Form { Form(text, [1]) }
        static let place = Form("LAT,LNG", [2])
    }

    /// Parses `words` as camera updates. Returns each update together with its name.
    static func updates(_ words: [String]) throws(CommandError) -> [(word: String, update: CameraUpdate)] {
        var rest = words[...]
        var updates: [(word: String, update: CameraUpdate)] = []
        while let word = rest.popFirst() {
            guard let form = forms[word] else {
                throw .usage("unknown \(word.hasPrefix("--") ? "option" : "camera update") \(word)")
            }
            var needed: [Double] = []
            if let expected = form.needed {
                guard let text = rest.popFirst() else { throw .usage("\(word): \(expected.text) is missing") }
                needed = try numbers(text, word, expected.text, counts: expected.counts)
            }
            var more: [Double] = []
            if let expected = form.more, let text = rest.first, forms[text] == nil {
                rest.removeFirst()
                more = try numbers(text, word, expected.text, counts: expected.counts)
            }
            do throws(CameraError) {
                updates.append((word, try update(word, needed, more)))
            } catch {
                throw .usage("\(word): \(error)")
            }
        }
        return updates
    }

    /// Returns the update with the name `word` and its numbers. `more` has the optional numbers. The caller has checked
    /// how many numbers there are.
    private static func update(_ word: String, _ numbers: [Double], _ more: [Double]) throws(CameraError)
        -> CameraUpdate
    {
        switch word {
        case "zoom-in": return .zoomIn
        case "zoom-out": return .zoomOut
        case "zoom-to", "to-zoom": return .zoom(to: numbers[0])
        case "zoom-by" where more.isEmpty: return .zoom(by: numbers[0])
        case "zoom-by": return .zoom(by: numbers[0], at: ScreenPoint(x: more[0], y: more[1]))
        case "set-target", "to-location":
            return .setTarget(latitude: numbers[0], longitude: numbers[1], zoom: more.first)
        case "set-camera":
            return .setCamera(
                try CameraPosition.checked(
                    latitude: numbers[0], longitude: numbers[1], zoom: numbers[2],
                    bearing: numbers.count > 3 ? numbers[3] : 0, viewingAngle: numbers.count > 4 ? numbers[4] : 0))
        case "scroll-by": return .scrollBy(x: numbers[0], y: numbers[1])
        case "to-bearing": return .toBearing(numbers[0])
        case "to-viewing-angle": return .toViewingAngle(numbers[0])
        default: return try fitting(numbers, more)
        }
    }

    private static func fitting(_ numbers: [Double], _ more: [Double]) throws(CameraError) -> CameraUpdate {
        let bounds = CoordinateBounds(
            try Coordinate.checked(latitude: numbers[0], longitude: numbers[1]),
            try Coordinate.checked(latitude: numbers[2], longitude: numbers[3]))
        switch more.count {
        case 0: return .fit(bounds)
        case 1: return .fit(bounds, withPadding: more[0])
        default: return .fit(bounds, with: insets(more))
        }
    }

    static func insets(_ edges: [Double]) -> EdgeInsets {
        EdgeInsets(top: edges[0], left: edges[1], bottom: edges[2], right: edges[3])
    }

    static func number(_ text: String, _ name: String) throws(CommandError) -> Double {
        try numbers(text, name, "a number", counts: [1])[0]
    }

    /// Parses finite numbers. Their count must be in `counts`. `name` and `expected` are for the error message.
    static func numbers(
        _ text: String, _ name: String, _ expected: String, counts: [Int], separator: Character = ","
    ) throws(CommandError) -> [Double] {
        let text = separator == "," ? try NamedNumbers.latitudeFirst(text, name) : text
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double(parameter: $0) }
        guard numbers.count == parts.count, counts.contains(numbers.count) else {
            throw .usage("\(name): expected \(expected), found \(text)")
        }
        return numbers
    }

    /// Returns the text of `error` for a command line.
    static func text(_ error: CameraError) -> String {
        error == .viewMissing ? "--size of the view is missing" : "\(error)"
    }
}
