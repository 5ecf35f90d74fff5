import hashlib
import hmac

def sign(api_secret: str, timestamp: str, body: bytes) -> str:
    message = timestamp.encode() + b"\n" + body
    return hmac.new(api_secret.encode(), message, hashlib.sha256).hexdigest()
