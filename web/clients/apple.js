// @ts-check
import { lines } from "./ClientLayer.js";
import { inFormat, inSwift } from "./quoted.js";

/** The limits of the Maps SDK for iOS, in either language. */
const gmsFails = "The SDK blocks `http` URLs (App Transport Security). It can send only one header field, `userAgent`. The SDK does not"
  + " enlarge tiles, so beyond its last zoom a layer disappears, unless the layer has `overzoom` on the server. `clearTileCache`"
  + " does not clear the system's `URLCache`.";

/** Maps on iOS. */
export const apple = [
  {
    id: "gms-swift", name: "Maps SDK for iOS (Swift)", language: "swift",
    fails: gmsFails,
    snippet: gmsSwift,
  },
  {
    id: "gms-objc", name: "Maps SDK for iOS (Objective-C)", language: "objc",
    fails: gmsFails,
    snippet: gmsObjectiveC,
  },
  {
    id: "mapkit", name: "MapKit (MKTileOverlay)", language: "swift",
    fails: "If `tileSize` is not 256, MapKit may show only a quarter of each tile. The code therefore keeps 256, and"
      + " requests `@2x` for a dense screen. Beyond `maximumZ`, the map is blank. iOS blocks `http` URLs. The app must show"
      + " the attributions.",
    snippet: mapKit,
  },
];

/** Comments about frequent problems: grey or opaque tiles, and no tiles without TLS. */
export function notes(layer, { isApple = true } = {}) {
  return [
    ...(isApple && layer.format === "png"
      ? [
        "// Set `png: { form: rgba }` for this layer on the server. Otherwise the SDK may show translucent",
        "// tiles of one colour as grey or opaque.",
      ] : []),
    layer.isEncrypted ? null : "// A phone loads http:// URLs only if the app allows it; a public server needs https://.",
    layer.attribution.text ? `// Show this with the map: ${layer.attribution.text}` : null,
  ];
}

/**
 * Returns conditions, a line each, for the tiles that the layer has. `number` converts a tile's number to the type of
 * `span`.
 */
export function within(layer, { number = (text) => text, and = "&&", name = "x" } = {}) {
  const conditions = layer.minZoom > 0 ? [`zoom >= ${layer.minZoom}`] : [];
  if (!layer.edges) return conditions;
  const { left, top, right, bottom } = layer.edges;
  const between = (text, low, high) =>
    `${number(`${text} + 1`)} > ${low} * span${and === "," ? "," : ` ${and}`} ${number(text)} < ${high} * span`;
  return [...conditions, between(name, left, right), between("y", top, bottom)];
}

/**
 * Returns lines of conditions. The first follows `begin`, the others are below it. `between` ends all lines but the
 * last, and `end` ends the last.
 */
export function condition(conditions, { begin, between, end }) {
  if (conditions.length === 0) return [];
  const last = conditions.length - 1;
  return conditions.map((text, index) => `${index === 0 ? begin : " ".repeat(begin.length)}${text}${index === last ? end : between}`);
}

function gmsSwift(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ z: "\\(zoom)", x: "\\(x)", y: "\\(y)", ratio, empty: layer.phoneEmpty });
  const conditions = within(layer, { number: (text) => `Double(${text})`, and: "," });
  return lines(
    "import GoogleMaps",
    "",
    notes(layer),
    "let layer = GMSURLTileLayer { x, y, zoom in",
    layer.edges ? "    let span = Double(1 << zoom)" : null,
    condition(conditions, { begin: "    guard ", between: ",", end: " else { return nil }" }),
    `    return URL(string: "${inSwift(layer.base)}${path}")`,
    "}",
    `layer.tileSize = ${layer.tileSize * layer.phoneScale}  // pixels`,
    'layer.userAgent = "my-app/1.0"',
    layer.opacity < 1 ? `layer.opacity = ${layer.opacity}` : null,
    `layer.zIndex = ${layer.zIndex}`,
    "layer.map = mapView",
  );
}

function gmsObjectiveC(layer) {
  const ratio = layer.phoneScale === 2 ? "@2x" : "";
  const path = layer.path({ z: "%lu", x: "%lu", y: "%lu", ratio, empty: layer.phoneEmpty });
  return lines(
    "@import GoogleMaps;",
    "",
    notes(layer),
    "GMSTileURLConstructor urls = ^NSURL *(NSUInteger x, NSUInteger y, NSUInteger zoom) {",
    layer.edges ? "  double span = 1UL << zoom;" : null,
    condition(within(layer), { begin: "  if (!(", between: " &&", end: ")) return nil;" }),
    `  NSString *format = @"${inFormat(layer.base)}${path}";`,
    "  return [NSURL URLWithString:[NSString stringWithFormat:format,",
    "      (unsigned long)zoom, (unsigned long)x, (unsigned long)y]];",
    "};",
    "GMSURLTileLayer *layer = [GMSURLTileLayer tileLayerWithURLConstructor:urls];",
    `layer.tileSize = ${layer.tileSize * layer.phoneScale};  // pixels`,
    'layer.userAgent = @"my-app/1.0";',
    layer.opacity < 1 ? `layer.opacity = ${layer.opacity};` : null,
    `layer.zIndex = ${layer.zIndex};`,
    "layer.map = mapView;",
  );
}

function mapKit(layer) {
  const isChosen = layer.phoneScale === 2;
  const path = layer.path({
    z: "\\(path.z)", x: "\\(path.x)", y: "\\(path.y)", ratio: isChosen ? "\\(ratio)" : "", empty: layer.phoneEmpty,
  });
  const { edges } = layer;
  const rectangle = edges && [
    "    override var boundingMapRect: MKMapRect {",
    "        let side = MKMapSize.world.width",
    `        return MKMapRect(x: ${edges.left} * side, y: ${edges.top} * side,`,
    `                         width: ${rounded(edges.right - edges.left)} * side, height: ${rounded(edges.bottom - edges.top)} * side)`,
    "    }",
  ];
  return lines(
    "import MapKit",
    "",
    notes(layer, { isApple: false }),
    "final class Tiles: MKTileOverlay {",
    "    override func url(forTilePath path: MKTileOverlayPath) -> URL {",
    isChosen ? '        let ratio = path.contentScaleFactor > 1 ? "@2x" : ""' : null,
    `        return URL(string: "${inSwift(layer.base)}${path}")!`,
    "    }",
    rectangle,
    "}",
    "",
    "let overlay = Tiles(urlTemplate: nil)",
    layer.minZoom > 0 ? `overlay.minimumZ = ${layer.minZoom}` : null,
    "overlay.canReplaceMapContent = false  // true: Apple's map is not drawn below",
    "mapView.addOverlay(overlay, level: .aboveLabels)",
    "",
    "// In the map view's delegate:",
    "func mapView(_ mapView: MKMapView, rendererFor overlay: MKOverlay) -> MKOverlayRenderer {",
    "    let renderer = MKTileOverlayRenderer(overlay: overlay)",
    layer.opacity < 1 ? `    renderer.alpha = ${layer.opacity}` : null,
    "    return renderer",
    "}",
  );
}

function rounded(number) {
  return Number(number.toFixed(9));
}
