"""Checks of QGIS with its connections file, with XYZ tiles and with WMTS."""
import json

from .place import debian

# Loads a file of connections like the browser's dialog, renders each given layer, and prints the number of visible
# colours.
SHOW = """
import json, sys
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtWidgets import QDialogButtonBox, QListWidget
from qgis.core import *
from qgis.gui import QgsManageConnectionsDialog
application = QgsApplication([], True, sys.argv[1])
application.initQgis()
path, sources = sys.argv[2], json.loads(sys.argv[3])
QgsSettings().remove("qgis/connections-xyz")
dialog = QgsManageConnectionsDialog(None, QgsManageConnectionsDialog.Import, QgsManageConnectionsDialog.XyzTiles, path)
dialog.selectAll()
dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.Ok).click()
settings = QgsSettings()
settings.beginGroup("qgis/connections-xyz")
names = settings.childGroups()
found = {"names": names, "connections": {}, "seen": {}}
for name in names:
    keys = ("url", "zmin", "zmax", "tilePixelRatio")
    found["connections"][name] = {key: settings.value(name + "/" + key) for key in keys}
settings.endGroup()
for name, source in sources.items():
    if source is None:
        one = found["connections"][name]
        from urllib.parse import quote
        source = "type=xyz&url=" + quote(one["url"], safe="") + "&zmin=%s&zmax=%s" % (one["zmin"], one["zmax"])
        if one["tilePixelRatio"] not in (None, "", "0", 0):
            source += "&tilePixelRatio=%s" % one["tilePixelRatio"]
    layer = QgsRasterLayer(source, name, "wms")
    map_settings = QgsMapSettings()
    map_settings.setLayers([layer])
    map_settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    map_settings.setOutputSize(QSize(300, 200))
    map_settings.setExtent(QgsRectangle(600000, 5700000, 1200000, 6100000))
    map_settings.setBackgroundColor(QColor(255, 0, 255))
    job = QgsMapRendererSequentialJob(map_settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    colors = {image.pixel(x, y) for x in range(0, 300, 3) for y in range(0, 200, 3)}
    found["seen"][name] = [layer.isValid(), len(colors), [error.message for error in job.errors()]]
print(json.dumps(found))
"""


def layers(place):
    """QGIS loads the connections to all layers and to WMTS, and shows the layers."""
    python = debian(place, "qgis.core", "python3-qgis")
    path = place.scratch / "qgis.xml"
    path.write_bytes(place.fetch("/qgis.xml?scale=2")[2])
    sources = {"Grid & <more> (grid)": None, "large": None, "small": None}
    for name in ("GoogleMapsCompatible", "GoogleMapsCompatible_512"):
        sources[name] = (
            f"crs=EPSG:3857&format=image/png&layers=small&styles=default&tileMatrixSet={name}&url={place.url}/wmts.xml")
    if place.certificate:
        # QGIS asks the user about an unknown certificate.
        sources = {}
    status, output = place.run(python, "-c", SHOW, place.scratch / "qgis", path, json.dumps(sources))
    place.expect(status == 0, f"QGIS runs {output[-1000:] if status else ''}")
    if status != 0:
        return
    found = json.loads(output.splitlines()[-1])
    ids = {entry["id"] for entry in place.json("/layers.json")}
    place.expect(len(found["names"]) == len(ids), f"connections {found['names']}")
    grid = found["connections"].get("Grid & <more> (grid)", {})
    place.expect(
        str(grid.get("url", "")).startswith(f"{place.url}/grid/{{z}}/{{x}}/{{y}}@2x.png?v=") and str(grid.get("zmax")) == "12",
        f"the connection to grid is {grid}")
    for name, (is_valid, colors, errors) in found["seen"].items():
        place.expect(is_valid and colors > 1 and not errors, f"{name}: {colors} colours are seen {errors}")


CI = []
OTHERS = [layers]
