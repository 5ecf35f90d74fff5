import base64
import hashlib
import hmac
import time
import uuid

def sign_http(api_secret: str, app_id: str, method: str, url: str, body: bytes) -> dict[str, str]:
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    parameters = (
        f'("@method" "@target-uri" "content-digest");created={int(time.time())}'
        f';nonce="{uuid.uuid4()}";keyid="{app_id}"'
    )
    base = "\n".join([
        f'"@method": {method}',
        f'"@target-uri": {url}',
        f'"content-digest": {digest}',
        f'"@signature-params": {parameters}',
    ])
    mac = hmac.new(api_secret.encode(), base.encode(), hashlib.sha256)
    signature = base64.b64encode(mac.digest()).decode()
    return {
        "Content-Digest": digest,
        "Signature-Input": f"sig={parameters}",
        "Signature": f"sig=:{signature}:",
    }
