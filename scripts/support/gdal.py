"""Runs GDAL, with the settings that it needs for a layer of tiles."""
import subprocess

LAYER = """\
<GDAL_WMS>
  <Service name="TMS"><ServerUrl>{url}/{layer}/${{z}}/${{x}}/${{y}}.png</ServerUrl></Service>
  <DataWindow>
    <UpperLeftX>-20037508.342789244</UpperLeftX><UpperLeftY>20037508.342789244</UpperLeftY>
    <LowerRightX>20037508.342789244</LowerRightX><LowerRightY>-20037508.342789244</LowerRightY>
    <TileLevel>{zoom}</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY><YOrigin>top</YOrigin>
  </DataWindow>
  <Projection>EPSG:3857</Projection>
  <BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>{bands}</BandsCount>
</GDAL_WMS>
"""


def describe(file, url, layer, zoom, bands):
    """Writes into `file` that the layer's tiles of `zoom` are at `url`."""
    file.write_text(LAYER.format(url=url, layer=layer, zoom=zoom, bands=bands))


def run(*command):
    """Runs a command and reports success. GDAL writes no side file with the picture's place in the world, which is not
    needed."""
    environment = {"PATH": "/usr/bin:/bin", "GDAL_PAM_ENABLED": "NO"}
    return subprocess.run([str(word) for word in command], env=environment).returncode == 0
