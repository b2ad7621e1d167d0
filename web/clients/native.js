// @ts-check
import { lines, sentences } from "./ClientLayer.js";
import { decimal } from "./google.js";
import { inDart, inKotlin, inSwift } from "./quoted.js";
import { isTurned } from "./startView.js";

/** The limits of MapLibre Native, on either system. */
const maplibreFails = (layer) => sentences(
  "With a wrong `tileSize`, tiles look blurred.", layer.isDense ? "On a dense screen, MapLibre replaces `{ratio}` by `@2x`." : null);

/** Maps in apps other than Google's and Apple's. */
export const native = [
  {
    id: "maplibre-ios", name: "MapLibre Native (iOS)", language: "swift", phones: ["iOS"],
    fails: maplibreFails,
    snippet: maplibreIOS,
  },
  {
    id: "maplibre-android", name: "MapLibre Native (Android)", language: "kotlin", phones: ["Android"],
    fails: maplibreFails,
    snippet: maplibreAndroid,
  },
  {
    id: "flutter-map", name: "flutter_map", language: "dart", phones: [],
    fails: (layer) => sentences(
      "flutter_map keeps tiles as long as the server allows. Since version 8.2, it has its own cache for them.",
      layer.isDense ? "Without `retinaMode`, `{r}` is empty, and tiles look blurred on dense screens." : null,
      "Beyond `maxNativeZoom`, flutter_map enlarges tiles."),
    snippet: flutterMap,
  },
];

function maplibreIOS(layer) {
  const { bounds, view } = layer;
  const target = `CLLocationCoordinate2D(latitude: ${view.latitude}, longitude: ${view.longitude})`;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import MapLibre",
    "",
    "// In mapView(_:didFinishLoading:), where `mapView` and `style` are given:",
    "let source = MLNRasterTileSource(",
    `    identifier: "${layer.id}",`,
    `    tileURLTemplates: ["${inSwift(layer.base)}${path}"],`,
    "    options: [",
    `        .tileSize: ${layer.tileSize},`,
    layer.minZoom > 0 ? `        .minimumZoomLevel: ${layer.minZoom},` : null,
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
    view.viewingAngle === 0
      ? [
        `mapView.setCenter(${target},`,
        `                  zoomLevel: ${layer.zoomOf512},${view.bearing !== 0 ? ` direction: ${view.bearing},` : ""} animated: false)`,
      ]
      // MapLibre keeps the altitude of a camera with a new pitch, so its zoom would change.
      : [
        `let center = ${target}`,
        `let altitude = MLNAltitudeForZoomLevel(${layer.zoomOf512}, ${view.viewingAngle}, center.latitude, mapView.bounds.size)`,
        `mapView.camera = MLNMapCamera(lookingAtCenter: center, altitude: altitude, pitch: ${view.viewingAngle}, heading: ${view.bearing})`,
      ],
  );
}

function maplibreAndroid(layer) {
  const { bounds, view } = layer;
  const path = layer.path({ ratio: layer.isDense ? "{ratio}" : "", empty: "204" });
  return lines(
    "import org.maplibre.android.camera.CameraPosition",
    "import org.maplibre.android.geometry.LatLng",
    "import org.maplibre.android.style.layers.*",
    "import org.maplibre.android.style.sources.*",
    "",
    `val tiles = TileSet("3.0.0", "${inKotlin(layer.base)}${path}")`,
    layer.minZoom > 0 ? `tiles.minZoom = ${layer.minZoom}f` : null,
    `tiles.maxZoom = ${layer.maxZoom}f`,
    bounds ? `tiles.setBounds(${bounds.west}f, ${bounds.south}f, ${bounds.east}f, ${bounds.north}f)` : null,
    layer.attribution.html ? `tiles.attribution = "${inKotlin(layer.attribution.html)}"` : null,
    `style.addSource(RasterSource("${layer.id}", tiles, ${layer.tileSize}))`,
    `style.addLayer(RasterLayer("${layer.id}", "${layer.id}")`
      + `${layer.opacity < 1 ? `.withProperties(PropertyFactory.rasterOpacity(${layer.opacity}f))` : ""})`,
    "map.cameraPosition = CameraPosition.Builder()",
    `    .target(LatLng(${decimal(view.latitude)}, ${decimal(view.longitude)})).zoom(${decimal(layer.zoomOf512)})`,
    isTurned(view) ? `    .bearing(${decimal(view.bearing)}).tilt(${decimal(view.viewingAngle)})` : null,
    "    .build()",
  );
}

function flutterMap(layer) {
  const { bounds, levels, view } = layer;
  const depth = layer.depth ?? 0;
  // flutter_map turns the map clockwise, and a camera with a bearing turns it the other way.
  const rotation = view.bearing !== 0 ? ` initialRotation: ${-view.bearing},` : "";
  return lines(
    "import 'package:flutter/widgets.dart';",
    "import 'package:flutter_map/flutter_map.dart';",
    "import 'package:latlong2/latlong.dart';",
    "",
    "Widget map(BuildContext context) => FlutterMap(",
    "  options: const MapOptions(",
    `    initialCenter: LatLng(${view.latitude}, ${view.longitude}), initialZoom: ${view.zoom},${rotation}`,
    "  ),",
    "  children: [",
    layer.opacity < 1 ? `    Opacity(opacity: ${layer.opacity}, child: TileLayer(` : "    TileLayer(",
    `      urlTemplate: '${inDart(layer.base)}${layer.path({ ratio: layer.isDense ? "{r}" : "", empty: "transparent" })}',`,
    layer.isDense ? "      retinaMode: RetinaMode.isHighDensity(context)," : null,
    depth !== 0 ? [`      tileDimension: ${layer.tileSize},`, `      zoomOffset: ${-depth},`] : null,
    levels.min > 0 ? `      minNativeZoom: ${levels.min},` : null,
    `      maxNativeZoom: ${levels.max},`,
    bounds
      ? [
        "      tileBounds: LatLngBounds(",
        `        const LatLng(${bounds.south}, ${bounds.west}), const LatLng(${bounds.north}, ${bounds.east}),`,
        "      ),",
      ] : null,
    "      userAgentPackageName: 'org.example.my_app',",
    layer.opacity < 1 ? "    ))," : "    ),",
    layer.attribution.text ? `    const SimpleAttributionWidget(source: Text('${inDart(layer.attribution.text)}')),` : null,
    "  ],",
    ");",
  );
}
