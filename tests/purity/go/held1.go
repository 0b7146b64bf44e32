// Package ingest reads log lines and turns them into metrics.
package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"container/heap"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math"
	mrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

type level int

const (
	levelInfo level = iota
	levelWarn
	levelFail
)

var (
	levelNames = [...]string{"info", "warn", "fail"}
	redacted   = []string{"password", "cookie"}
	parsers    sync.Map
	badLines   int
	minLevel   = levelInfo
)

// Record is one parsed line.
type Record struct {
	At     time.Time
	Level  level
	Text   string
	Fields map[string]string
}

// String renders a level.
func (l level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return "level" + strconv.Itoa(int(l))
	}
	return levelNames[l]
}

// Clean removes private fields from the record.
func (r Record) Clean() Record {
	for _, name := range redacted {
		delete(r.Fields, name)
	}
	return r
}

// Shortened cuts the text.
func (r Record) Shortened(n int) Record {
	if runes := []rune(r.Text); len(runes) > n {
		r.Text = string(runes[:n]) + "…"
	}
	return r
}

// Age is the time passed since the record.
func (r *Record) Age() time.Duration {
	return time.Since(r.At)
}

// Visible says whether the record passes the filter.
func (r *Record) Visible() bool {
	return r.Level >= minLevel
}

// Histogram counts values in power of two buckets.
type Histogram struct {
	buckets [32]int
	count   int
}

// Observe adds a value.
func (h *Histogram) Observe(v uint32) {
	h.buckets[bucketOf(v)]++
	h.count++
}

// Plus returns the sum of both.
func (h Histogram) Plus(other Histogram) Histogram {
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
	return h
}

// Quantile estimates the value at a share.
func (h *Histogram) Quantile(share float64) uint32 {
	left := int(math.Ceil(share * float64(h.count)))
	for i, n := range h.buckets {
		if left -= n; left <= 0 {
			return 1 << i
		}
	}
	return math.MaxUint32
}

// Drain returns the count and starts over.
func (h *Histogram) Drain() int {
	n := h.count
	*h = Histogram{}
	return n
}

type byTime []Record

func (q byTime) Len() int           { return len(q) }
func (q byTime) Less(i, j int) bool { return q[i].At.Before(q[j].At) }
func (q byTime) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byTime) Push(x any)        { *q = append(*q, x.(Record)) }
func (q *byTime) Pop() any {
	last := len(*q) - 1
	r := (*q)[last]
	*q = (*q)[:last]
	return r
}

func mergeStreams(streams [][]Record) []Record {
	var queue byTime
	for _, stream := range streams {
		for _, r := range stream {
			heap.Push(&queue, r)
		}
	}
	merged := make([]Record, 0, queue.Len())
	for queue.Len() > 0 {
		merged = append(merged, heap.Pop(&queue).(Record))
	}
	return merged
}

func bucketOf(v uint32) int {
	n := 0
	for v > 1 {
		v >>= 1
		n++
	}
	return n
}

func summarize(values []uint32) string {
	var h Histogram
	for _, v := range values {
		h.Observe(v)
	}
	return fmt.Sprintf("n=%d p50=%d p99=%d", h.count, h.Quantile(0.5), h.Quantile(0.99))
}

func setMinLevel(l level) (previous level) {
	previous, minLevel = minLevel, l
	return previous
}

func visibleOnly(records []Record) []Record {
	var out []Record
	for i := range records {
		if records[i].Visible() {
			out = append(out, records[i])
		}
	}
	return out
}

func parseLevel(text string) (level, error) {
	for i, name := range levelNames {
		if strings.EqualFold(name, text) {
			return level(i), nil
		}
	}
	return 0, fmt.Errorf("level %q is not known", text)
}

func noteBad(line string) {
	badLines++
	slog.Warn("cannot parse", "line", line)
}

func parseFields(text string) map[string]string {
	fields := map[string]string{}
	for _, word := range strings.FieldsFunc(text, unicode.IsSpace) {
		if key, value, ok := strings.Cut(word, "="); ok {
			fields[key] = strings.Trim(value, `"`)
		}
	}
	return fields
}

func parseLine(line string) (Record, bool) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 3 {
		noteBad(line)
		return Record{}, false
	}
	at, err := time.Parse(time.RFC3339, parts[0])
	if err != nil {
		return Record{}, false
	}
	lvl, err := parseLevel(parts[1])
	return Record{at, lvl, parts[2], parseFields(parts[2])}, err == nil
}

func parseLines(text string) []Record {
	var records []Record
	for line := range strings.Lines(text) {
		if r, ok := parseLine(strings.TrimRight(line, "\n")); ok {
			records = append(records, r)
		}
	}
	return records
}

func readAll(r io.Reader) ([]string, error) {
	var lines []string
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines, scanner.Err()
}

func splitBlob(blob []byte) []string {
	var lines []string
	scanner := bufio.NewScanner(bytes.NewReader(blob))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

func compress(text string) ([]byte, error) {
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	if _, err := zw.Write([]byte(text)); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func frame(buf []byte, payload string) int {
	binary.BigEndian.PutUint32(buf, uint32(len(payload)))
	return 4 + copy(buf[4:], payload)
}

func framed(payload string) []byte {
	buf := make([]byte, 4+len(payload))
	frame(buf, payload)
	return buf
}

func shardOf(key string, shards uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32() % shards
}

func rotated(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.log.*"))
	slices.Sort(names)
	return names, err
}

func logDir() string {
	return filepath.Clean(os.Getenv("INGEST_DIR"))
}

func archiveName(host string, day time.Time) string {
	return filepath.Join(logDir(), host, day.Format("2006-01-02")+".gz")
}

func ship(addr, text string) error {
	conn, err := net.DialTimeout("tcp", addr, 3*time.Second)
	if err != nil {
		return fmt.Errorf("ship: %w", err)
	}
	defer conn.Close()
	_, err = conn.Write(framed(text))
	return err
}

func keep(share float64) bool {
	return mrand.Float64() < share
}

func thin(records []Record, share float64) []Record {
	var out []Record
	for _, r := range records {
		if r.Level == levelFail || keep(share) {
			out = append(out, r)
		}
	}
	return out
}

func useParser(name string, parse func(string) Record) {
	parsers.Store(name, parse)
}

func hasParser(name string) bool {
	_, ok := parsers.Load(name)
	return ok
}

func maxBy(records []Record, weight func(Record) float64) (best Record) {
	top := math.Inf(-1)
	for _, r := range records {
		if w := weight(r); w > top {
			best, top = r, w
		}
	}
	return best
}

func longest(records []Record) Record {
	return maxBy(records, func(r Record) float64 { return float64(len(r.Text)) })
}

func oldest(records []Record) Record {
	return maxBy(records, func(r Record) float64 { return r.Age().Seconds() })
}

func stamp(records []Record, host string) []Record {
	out := append([]Record(nil), records...)
	for i := range out {
		out[i].Fields["host"] = host
	}
	return out
}

func topWords(records []Record, n int) []string {
	counts := map[string]int{}
	var words []string
	for _, r := range records {
		for _, word := range strings.Fields(strings.ToLower(r.Text)) {
			if counts[word]++; counts[word] == 1 {
				words = append(words, word)
			}
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return counts[b] - counts[a] })
	return words[:min(n, len(words))]
}

func rates(counts []int, every time.Duration) []float64 {
	out := make([]float64, len(counts))
	for i, n := range counts {
		out[i] = float64(n) / every.Seconds()
	}
	return out
}

func tally(records []Record, key func(*Record) string) map[string]int {
	counts := map[string]int{}
	for i := range records {
		counts[key(&records[i])]++
	}
	return counts
}
