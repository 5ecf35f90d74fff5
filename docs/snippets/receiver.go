package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	seen   sync.Map
)

func isGenuine(id, timestamp, signatures string, body []byte) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() >= 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, each := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(each), expected) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	id := request.Header.Get("webhook-id")
	genuine := isGenuine(id, request.Header.Get("webhook-timestamp"), request.Header.Get("webhook-signature"), body)
	if err != nil || !genuine {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, known := seen.LoadOrStore(id, true); !known {
		var message struct {
			Type string
			Data struct {
				ID     int
				Record struct{ Status string }
			}
		}
		if json.Unmarshal(body, &message) == nil {
			fmt.Println(message.Type, message.Data.ID, message.Data.Record.Status)
		}
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("HOOK_PORT")
	if port == "" {
		port = "24817"
	}
	panic(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
