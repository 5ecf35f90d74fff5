package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"
)

func signHTTP(apiSecret, appID, method, url string, body []byte) map[string]string {
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		panic(err)
	}
	parameters := fmt.Sprintf(`("@method" "@target-uri" "content-digest");created=%d;nonce="%s";keyid="%s"`,
		time.Now().Unix(), hex.EncodeToString(nonce), appID)
	base := fmt.Sprintf("\"@method\": %s\n\"@target-uri\": %s\n\"content-digest\": %s\n\"@signature-params\": %s",
		method, url, digest, parameters)
	mac := hmac.New(sha256.New, []byte(apiSecret))
	mac.Write([]byte(base))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return map[string]string{
		"Content-Digest":  digest,
		"Signature-Input": "sig=" + parameters,
		"Signature":       "sig=:" + signature + ":",
	}
}
