"""OpenStack Swift with its S3 interface: all of its servers in one process, for tests.

    python3 s3-server.py FOLDER

It writes the port of the S3 interface to standard output, and ends when its standard input does.
"""
import os
import socket
import subprocess
import sys

import eventlet
import eventlet.wsgi

eventlet.monkey_patch()

from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

folder = os.path.abspath(sys.argv[1])
utils.HASH_PATH_PREFIX = b""
utils.HASH_PATH_SUFFIX = b"tests"

sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object", "proxy")}
os.makedirs(os.path.join(folder, "disks", "d1"), exist_ok=True)
for name in ("account", "container", "object"):
    port = sockets[name].getsockname()[1]
    ring = RingBuilder(1, 1, 1)
    place = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    ring.add_dev({"region": 1, "zone": 1, "device": "d1", "weight": 1, "meta": "", **place})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, name + ".ring.gz"))

probe = socket.socket()
probe.bind(("127.0.0.1", 0))
cache_port = probe.getsockname()[1]
probe.close()
user = ["-u", "nobody"] if os.getuid() == 0 else []
cache = subprocess.Popen(["memcached", "-l", "127.0.0.1", "-p", str(cache_port), "-U", "0", "-m", "16", *user])

common = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}/disks
mount_check = false
disable_fallocate = true
log_level = CRITICAL
log_address = {folder}/no-log
"""


def configured(name, text):
    path = os.path.join(folder, name + ".conf")
    with open(path, "w") as file:
        file.write(common + text)
    return path


files = {name: configured(name, f"[app:main]\nuse = egg:swift#{name}\n") for name in ("account", "container", "object")}
files["proxy"] = configured(
    "proxy",
    f"""[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{cache_port}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 5242880
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
""",
)


class Quiet:
    def write(self, *_text):
        pass

    def flush(self):
        pass


pool = eventlet.GreenPool()
for name, listener in sockets.items():
    app = loadapp(files[name], allow_modify_pipeline=False)
    pool.spawn_n(eventlet.wsgi.server, listener, app, Quiet(), log_output=False)
print(sockets["proxy"].getsockname()[1], flush=True)
# Blocks in a thread of its own until the test that started this process ends.
eventlet.tpool.execute(sys.stdin.read)
cache.kill()
os._exit(0)
