"""MapCache under Apache, both from Debian: a tile cache in front of an upstream."""
import os
import pathlib
import shutil

from .machine import ProgramGroup, free_port, install, need

USER = "www-data"
MODULES = pathlib.Path("/usr/lib/apache2/modules")

APACHE = """\
ServerName localhost
ServerRoot {directory}
DefaultRuntimeDir {directory}
PidFile {directory}/pid
Listen 127.0.0.1:{port}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mapcache_module {modules}/mod_mapcache.so
ErrorLog {directory}/error.log
LogLevel error
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 300
StartServers 1
MinSpareThreads 1
ServerLimit 1
ThreadsPerChild 128
ThreadLimit 128
MaxRequestWorkers 128
{user}
<IfModule mapcache_module>
    <Directory "{directory}">
        Require all granted
    </Directory>
    MapCacheAlias / "{directory}/mapcache.xml"
</IfModule>
"""

# The grid `g` is Web Mercator, which MapCache knows. Its tiles are files.
MAPCACHE = """\
<?xml version="1.0" encoding="UTF-8"?>
<mapcache>
    <cache name="files" type="disk">
        <base>{directory}/cache</base>
    </cache>
    <source name="upstream" type="wms">
        <getmap><params><FORMAT>image/png</FORMAT><LAYERS>tiles</LAYERS></params></getmap>
        <http><url>{upstream}/wms</url></http>
    </source>
    <tileset name="tiles">
        <source>upstream</source>
        <cache>files</cache>
        <grid>g</grid>
        <metatile>1 1</metatile>
        <metabuffer>0</metabuffer>
        <expires>3600</expires>
    </tileset>
    <service type="gmaps" enabled="true"/>
    <errors>report</errors>
    <lock_dir>{directory}</lock_dir>
    <log_level>error</log_level>
</mapcache>
"""


class MapCache(ProgramGroup):
    """Debian's Apache with only `mpm_event` and MapCache. The cache is in `directory`."""

    def __init__(self, directory, upstream, core=None):
        need(apache2="apache2-bin")
        if not (MODULES / "mod_mapcache.so").exists():
            install("libapache2-mod-mapcache")
        (directory / "cache").mkdir(parents=True)
        port = free_port()
        user = ""
        if os.geteuid() == 0:
            # Root's Apache runs as another user, who must be able to read the directory.
            user = f"User {USER}\nGroup {USER}"
            directory.parent.chmod(0o711)
            for owned in (directory, directory / "cache"):
                shutil.chown(owned, USER, USER)
        (directory / "apache.conf").write_text(
            APACHE.format(directory=directory, port=port, modules=MODULES, user=user))
        (directory / "mapcache.xml").write_text(MAPCACHE.format(directory=directory, upstream=upstream))
        super().__init__(
            ["apache2", "-D", "FOREGROUND", "-f", directory / "apache.conf"], f"http://127.0.0.1:{port}",
            directory / "apache.log", core)

    @staticmethod
    def path(z, x, y):
        return f"/gmaps/tiles@g/{z}/{x}/{y}.png"
