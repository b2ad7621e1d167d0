// @ts-check
import { lines } from "./ClientLayer.js";
import { inDart, inKotlin, inSwift } from "./quoted.js";

/** Maps in apps other than Google's and Apple's. */
export const native = [
  {
    id: "maplibre-ios", name: "MapLibre Native (iOS)", language: "swift",
    fails: "With a wrong `tileSize`, tiles look blurred. iOS blocks `http` URLs. On a dense screen, MapLibre replaces"
      + " `{ratio}` by `@2x`.",
    snippet: maplibreIOS,
  },
  {
    id: "maplibre-android", name: "MapLibre Native (Android)", language: "kotlin",
    fails: "With a wrong `tileSize`, tiles look blurred. Android blocks `http` URLs. On a dense screen, MapLibre replaces"
      + " `{ratio}` by `@2x`.",
    snippet: maplibreAndroid,
  },
  {
    id: "flutter-map", name: "flutter_map", language: "dart",
    fails: "flutter_map keeps tiles as long as the server allows. Since version 8.2, it has its own cache for them. Without"
      + " `retinaMode`, `{r}` is empty, and tiles look blurred on dense screens. Beyond `maxNativeZoom`, flutter_map"
      + " enlarges tiles.",
    snippet: flutterMap,
  },
];

function maplibreIOS(layer) {
  const { bounds } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import MapLibre",
    "",
    "// In mapView(_:didFinishLoading:), where `style` is given:",
    "let source = MLNRasterTileSource(",
    `    identifier: "${layer.id}",`,
    `    tileURLTemplates: ["${inSwift(layer.base)}${path}"],`,
    "    options: [",
    `        .tileSize: ${layer.tileSize},`,
    `        .minimumZoomLevel: ${layer.minZoom},`,
    `        .maximumZoomLevel: ${layer.maxZoom},`,
    bounds
      ? [
        "        .coordinateBounds: NSValue(mlnCoordinateBounds: MLNCoordinateBounds(",
        `            sw: CLLocationCoordinate2D(latitude: ${bounds.south}, longitude: ${bounds.west}),`,
        `            ne: CLLocationCoordinate2D(latitude: ${bounds.north}, longitude: ${bounds.east}))),`,
      ] : null,
    layer.attribution.html ? `        .attributionHTMLString: "${inSwift(layer.attribution.html)}",` : null,
    "    ])",
    "style.addSource(source)",
    `let layer = MLNRasterStyleLayer(identifier: "${layer.id}", source: source)`,
    layer.opacity < 1 ? `layer.rasterOpacity = NSExpression(forConstantValue: ${layer.opacity})` : null,
    "style.addLayer(layer)",
  );
}

function maplibreAndroid(layer) {
  const { bounds } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import org.maplibre.android.style.layers.*",
    "import org.maplibre.android.style.sources.*",
    "",
    `val tiles = TileSet("3.0.0", "${inKotlin(layer.base)}${path}")`,
    `tiles.minZoom = ${layer.minZoom}f`,
    `tiles.maxZoom = ${layer.maxZoom}f`,
    bounds ? `tiles.setBounds(${bounds.west}f, ${bounds.south}f, ${bounds.east}f, ${bounds.north}f)` : null,
    layer.attribution.html ? `tiles.attribution = "${inKotlin(layer.attribution.html)}"` : null,
    `style.addSource(RasterSource("${layer.id}", tiles, ${layer.tileSize}))`,
    `style.addLayer(RasterLayer("${layer.id}", "${layer.id}")`
      + `${layer.opacity < 1 ? `.withProperties(PropertyFactory.rasterOpacity(${layer.opacity}f))` : ""})`,
  );
}

function flutterMap(layer) {
  const { bounds } = layer;
  const depth = layer.depth ?? 0;
  return lines(
    "import 'package:flutter/widgets.dart';",
    "import 'package:flutter_map/flutter_map.dart';",
    bounds ? "import 'package:latlong2/latlong.dart';" : null,
    "",
    "List<Widget> tiles(BuildContext context) => [",
    layer.opacity < 1 ? `  Opacity(opacity: ${layer.opacity}, child: TileLayer(` : "  TileLayer(",
    `    urlTemplate: '${inDart(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent" })}',`,
    layer.isDense ? "    retinaMode: RetinaMode.isHighDensity(context)," : null,
    depth !== 0 ? [`    tileDimension: ${layer.tileSize},`, `    zoomOffset: ${-depth},`] : null,
    `    minNativeZoom: ${Math.max(layer.minZoom + depth, 0)},`,
    `    maxNativeZoom: ${layer.maxZoom + depth},`,
    bounds
      ? [
        "    tileBounds: LatLngBounds(",
        `      const LatLng(${bounds.south}, ${bounds.west}), const LatLng(${bounds.north}, ${bounds.east}),`,
        "    ),",
      ] : null,
    "    userAgentPackageName: 'org.example.my_app',",
    layer.opacity < 1 ? "  ))," : "  ),",
    layer.attribution.text ? `  const SimpleAttributionWidget(source: Text('${inDart(layer.attribution.text)}')),` : null,
    "];",
  );
}
