package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func sign(apiSecret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(apiSecret))
	mac.Write([]byte(timestamp + "\n"))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
