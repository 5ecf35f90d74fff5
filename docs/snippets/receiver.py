import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
seen = set()

def is_genuine(id: str, timestamp: str, signatures: str, body: bytes) -> bool:
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) >= 300:
        return False
    signed = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures.split(" "))

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        id, timestamp, signatures = (
            self.headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
        )
        genuine = is_genuine(id, timestamp, signatures, body)
        if genuine and id not in seen:
            seen.add(id)
            message = json.loads(body)
            print(message["type"], message["data"]["id"], (message["data"]["record"] or {}).get("status"), flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ.get("HOOK_PORT", 24817))), Receiver).serve_forever()
