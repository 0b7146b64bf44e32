// Package gateway is a small HTTP front with rate limits and a response cache.
package gateway

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	mrand "math/rand"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	reasons  = map[int]string{400: "bad request", 404: "not found", 429: "slow down"}
	mu       sync.Mutex
	inFlight = map[string]int{}
	lastSeen = map[string]time.Time{}
	handlers = map[string]http.HandlerFunc{}
)

// Entry is one stored response.
type Entry struct {
	Body    []byte
	Stored  time.Time
	Uses    int
	Headers map[string]string
}

// FreshAt says whether the entry is usable at the given time.
func (e *Entry) FreshAt(now time.Time, ttl time.Duration) bool {
	return now.Sub(e.Stored) < ttl
}

// Fresh says whether the entry is usable.
func (e *Entry) Fresh(ttl time.Duration) bool {
	return e.FreshAt(time.Now(), ttl)
}

// Bump counts a use.
func (e Entry) Bump() Entry {
	e.Uses++
	return e
}

// Cache keeps entries by key.
type Cache struct {
	entries map[string]*Entry
	order   []string
	limit   int
}

// NewCache returns an empty cache.
func NewCache(limit int) *Cache {
	c := &Cache{entries: map[string]*Entry{}}
	c.limit = limit
	return c
}

// Get looks up a key.
func (c *Cache) Get(key string) ([]byte, bool) {
	entry, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	entry.Uses++
	return entry.Body, true
}

// Put stores a body.
func (c *Cache) Put(key string, body []byte, now time.Time) {
	if _, ok := c.entries[key]; !ok {
		c.order = append(c.order, key)
	}
	c.entries[key] = &Entry{Body: body, Stored: now}
	for len(c.order) > c.limit {
		delete(c.entries, c.order[0])
		c.order = c.order[1:]
	}
}

// Size sums the stored bytes.
func (c *Cache) Size() int {
	total := 0
	for _, entry := range c.entries {
		total += len(entry.Body)
	}
	return total
}

// GetOrLoad returns the stored body or loads it.
func (c *Cache) GetOrLoad(key string, load func(string) []byte) []byte {
	if body, ok := c.Get(key); ok {
		return body
	}
	body := load(key)
	c.Put(key, body, time.Now())
	return body
}

// Prefilled builds a cache from bodies.
func Prefilled(bodies [][]byte, now time.Time) *Cache {
	c := NewCache(len(bodies))
	for _, body := range bodies {
		c.Put(digest(body), body, now)
	}
	return c
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

func cacheKey(r *http.Request) string {
	query := r.URL.Query()
	query.Del("utm_source")
	return r.Method + " " + r.URL.Path + "?" + query.Encode()
}

func pageParam(r *http.Request) string {
	if err := r.ParseForm(); err != nil {
		return "1"
	}
	if page := r.Form.Get("page"); page != "" {
		return page
	}
	return "1"
}

func cleanPath(raw string) (string, error) {
	unescaped, err := url.PathUnescape(raw)
	if err != nil {
		return "", fmt.Errorf("path: %w", err)
	}
	return path.Clean("/" + unescaped), nil
}

func errorBody(status int, detail string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	payload := map[string]string{"error": reasons[status], "detail": detail}
	if err := enc.Encode(payload); err != nil {
		return nil
	}
	return buf.Bytes()
}

func writeError(w http.ResponseWriter, status int, detail string) {
	w.WriteHeader(status)
	_, _ = w.Write(errorBody(status, detail))
}

func setCaching(h http.Header, seconds int) http.Header {
	h.Set("Cache-Control", fmt.Sprintf("max-age=%d", seconds))
	h.Del("Pragma")
	return h
}

func withCaching(h http.Header, seconds int) http.Header {
	return setCaching(h.Clone(), seconds)
}

func handlePing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		writeError(w, http.StatusBadRequest, r.Method)
		return
	}
	fmt.Fprint(w, "pong")
}

func register(pattern string, h http.HandlerFunc) {
	handlers[strings.TrimSuffix(pattern, "/")] = h
}

func routeCount() int {
	return len(handlers)
}

func enter(client string) int {
	mu.Lock()
	defer mu.Unlock()
	inFlight[client]++
	return inFlight[client]
}

func admitted(client string, limit int) bool {
	if client == "" {
		return false
	}
	return enter(client) <= limit
}

func seenRecently(client string, within time.Duration) bool {
	at, ok := lastSeen[client]
	lastSeen[client] = time.Now()
	return ok && time.Since(at) < within
}

func requestID() string {
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(raw[:])
}

func traced(headers map[string]string) map[string]string {
	out := make(map[string]string, len(headers)+1)
	for key, value := range headers {
		out[strings.ToLower(key)] = value
	}
	out["x-request-id"] = requestID()
	return out
}

func lowered(headers map[string]string) map[string]string {
	out := make(map[string]string, len(headers))
	for _, key := range slices.Sorted(maps.Keys(headers)) {
		out[strings.ToLower(key)] = headers[key]
	}
	return out
}

func backoff(attempt int, seed int64) time.Duration {
	rng := mrand.New(mrand.NewSource(seed))
	base := time.Duration(1<<attempt) * 100 * time.Millisecond
	return base + time.Duration(rng.Int63n(int64(base)))
}

func jitter(base time.Duration) time.Duration {
	return base + time.Duration(mrand.Int63n(int64(base)+1))
}

func retryDelays(n int) []time.Duration {
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = jitter(time.Second << i)
	}
	return delays
}

func upstream(name string) string {
	host, ok := os.LookupEnv("GATEWAY_UPSTREAM")
	if !ok {
		host = "127.0.0.1:9000"
	}
	return "http://" + host + "/" + url.PathEscape(name)
}

func fetch(client *http.Client, name string) ([]byte, error) {
	resp, err := client.Get(upstream(name))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func statusClass(code int) string {
	if code < 100 || code > 599 {
		log.Println("odd status", code)
		return "other"
	}
	return fmt.Sprintf("%dxx", code/100)
}

func countClasses(codes []int) map[string]int {
	counts := map[string]int{}
	for _, code := range codes {
		counts[statusClass(code)]++
	}
	return counts
}

func limited(limit int, next http.HandlerFunc) http.HandlerFunc {
	used := 0
	return func(w http.ResponseWriter, r *http.Request) {
		used++
		if used > limit {
			writeError(w, http.StatusTooManyRequests, r.URL.Path)
			return
		}
		next(w, r)
	}
}

func chain(h http.Handler, layers ...func(http.Handler) http.Handler) http.Handler {
	for i := len(layers) - 1; i >= 0; i-- {
		h = layers[i](h)
	}
	return h
}

func decodeBody(raw []byte, into any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, into)
}

func decodeLimits(raw []byte) (map[string]int, error) {
	limits := map[string]int{"default": 60}
	if err := decodeBody(raw, &limits); err != nil {
		return nil, err
	}
	return limits, nil
}

func mergedLimits(base, extra map[string]int) map[string]int {
	merged := maps.Clone(base)
	if merged == nil {
		merged = map[string]int{}
	}
	for client, limit := range extra {
		merged[client] = max(merged[client], limit)
	}
	return merged
}

func parseCookies(header string) map[string]string {
	cookies := map[string]string{}
	for _, part := range strings.Split(header, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			cookies[name] = strings.Trim(value, `"`)
		}
	}
	return cookies
}

func anyMatches(paths []string, match func(string) bool) bool {
	for _, p := range paths {
		if match(p) {
			return true
		}
	}
	return false
}
