// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { inFormat, inSwift } from "./quoted.js";
import { isTurned, phoneSpan } from "./startView.js";

/** The limits of the Maps SDK for iOS, in either language. */
const gmsFails = (layer) => sentences(
  "The SDK can send only one header field, `userAgent`.",
  layer.phoneEmpty === "overzoom"
    ? "The SDK does not enlarge tiles, so beyond its last zoom a layer would disappear. With `overzoom`, the server enlarges tiles." : null,
  "`clearTileCache` does not clear the system's `URLCache`.");

/** Maps on iOS. */
export const apple = [
  {
    id: "gms-swift", name: "Maps SDK for iOS (Swift)", language: "swift", phones: ["iOS"],
    fails: gmsFails,
    snippet: gmsSwift,
  },
  {
    id: "gms-objc", name: "Maps SDK for iOS (Objective-C)", language: "objc", phones: ["iOS"],
    fails: gmsFails,
    snippet: gmsObjectiveC,
  },
  {
    id: "mapkit", name: "MapKit (MKTileOverlay)", language: "swift", phones: ["iOS"],
    fails: (layer) => sentences(
      "If `tileSize` is not 256, MapKit may show only a quarter of each tile.",
      layer.phoneScale === 2 ? "The code therefore keeps 256, and requests `@2x` for a dense screen." : "The code therefore keeps 256.",
      layer.attribution.text ? "The app must show the attribution." : null),
    snippet: mapKit,
  },
];

/** Comments about frequent problems: grey or opaque tiles, and a missing attribution. */
export function notes(layer, { isApple = true } = {}) {
  return [
    ...(isApple && layer.format === "png"
      ? [
        "// Set `png: { form: rgba }` for this layer on the server. Otherwise the SDK may show translucent",
        "// tiles of one colour as grey or opaque.",
      ] : []),
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
  const { view } = layer;
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
    layer.zIndex !== 0 ? `layer.zIndex = ${layer.zIndex}` : null,
    "layer.map = mapView",
    `mapView.camera = GMSCameraPosition(latitude: ${view.latitude}, longitude: ${view.longitude}, zoom: ${view.zoom}`
      + (isTurned(view) ? `, bearing: ${view.bearing}, viewingAngle: ${view.viewingAngle})` : ")"),
  );
}

function gmsObjectiveC(layer) {
  const { view } = layer;
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
    layer.zIndex !== 0 ? `layer.zIndex = ${layer.zIndex};` : null,
    "layer.map = mapView;",
    `mapView.camera = [GMSCameraPosition cameraWithLatitude:${view.latitude} longitude:${view.longitude} zoom:${view.zoom}`
      + (isTurned(view) ? ` bearing:${view.bearing} viewingAngle:${view.viewingAngle}];` : "];"),
  );
}

function mapKit(layer) {
  const isChosen = layer.phoneScale === 2;
  const path = layer.path({
    z: "\\(path.z)", x: "\\(path.x)", y: "\\(path.y)", ratio: isChosen ? "\\(ratio)" : "", empty: layer.phoneEmpty,
  });
  const { edges, view } = layer;
  const span = phoneSpan(view);
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
    "mapView.addOverlay(overlay, level: .aboveLabels)",
    "mapView.region = MKCoordinateRegion(",
    `    center: CLLocationCoordinate2D(latitude: ${view.latitude}, longitude: ${view.longitude}),`,
    `    span: MKCoordinateSpan(latitudeDelta: ${span.latitude}, longitudeDelta: ${span.longitude}))`,
    "",
    "// In the map view's delegate:",
    "func mapView(_ mapView: MKMapView, rendererFor overlay: MKOverlay) -> MKOverlayRenderer {",
    layer.opacity < 1
      ? ["    let renderer = MKTileOverlayRenderer(overlay: overlay)", `    renderer.alpha = ${layer.opacity}`, "    return renderer"]
      : "    return MKTileOverlayRenderer(overlay: overlay)",
    "}",
  );
}

function rounded(number) {
  return Number(number.toFixed(9));
}
