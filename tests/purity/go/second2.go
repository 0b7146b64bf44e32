// Package transit plans bus trips over a small network.
package transit

import (
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

var errNoRoute = errors.New("no route")

var (
	tripSeq   atomic.Int64
	detours   = map[string]string{}
	onArrival []func(string)
)

type Stop struct {
	Code  string
	Lines []string
	Next  *Stop
}

type Trip struct {
	ID    int64
	Stops []*Stop
	Fares struct{ Adult, Child int }
	mu    sync.Mutex
	load  int
}

type Feed struct {
	C     chan string
	pos   int
	lines []string
}

type queue []int

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) {
	*q = append(*q, x.(int))
}

func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func kthDeparture(times []int, k int) int {
	q := queue(slices.Clone(times))
	heap.Init(&q)
	for ; k > 1; k-- {
		heap.Pop(&q)
	}
	return q[0]
}

func earliest(times []int) int {
	q := queue(times)
	heap.Init(&q)
	return q[0]
}

func (s *Stop) Last() *Stop {
	for s.Next != nil {
		s = s.Next
	}
	return s
}

func (t *Trip) Board(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() { t.load += n }()
	return t.load+n <= 60
}

func (t *Trip) Cheapest() int {
	fares := t.Fares
	fares.Adult -= fares.Adult / 10
	return min(fares.Adult, fares.Child)
}

func (t *Trip) Discounted() int {
	fares := &t.Fares
	fares.Adult -= fares.Adult / 10
	return fares.Adult
}

func (f *Feed) Line() (string, bool) {
	if f.pos >= len(f.lines) {
		return "", false
	}
	f.pos++
	return f.lines[f.pos-1], true
}

func (f Feed) Publish(line string) Feed {
	f.C <- line
	return f
}

func countLines(text string) (n int) {
	f := &Feed{lines: strings.Split(text, "\n")}
	for _, ok := f.Line(); ok; _, ok = f.Line() {
		n++
	}
	return n
}

func totals(parts [][]int) int {
	sums := make(chan int, len(parts))
	for _, p := range parts {
		s := 0
		for _, v := range p {
			s += v
		}
		sums <- s
	}
	close(sums)
	total := 0
	for s := range sums {
		total += s
	}
	return total
}

func delays(in <-chan int) (worst int) {
	for d := range in {
		worst = max(worst, d)
	}
	return worst
}

func newTrip(stops ...*Stop) *Trip {
	t := &Trip{ID: tripSeq.Add(1)}
	t.Stops = append(t.Stops, stops...)
	return t
}

func relabel(stops ...*Stop) []string {
	codes := make([]string, 0, len(stops))
	for _, s := range stops {
		s.Code = strings.ToUpper(s.Code)
		codes = append(codes, s.Code)
	}
	return codes
}

func upperCodes(stops []Stop) []string {
	codes := make([]string, 0, len(stops))
	for _, s := range stops {
		s.Code = strings.ToUpper(s.Code)
		codes = append(codes, s.Code)
	}
	return codes
}

func withLine(stops []Stop, line string) []Stop {
	for i := range stops {
		s := &stops[i]
		s.Lines = append(s.Lines, line)
	}
	return stops
}

func servedBy(stops []*Stop) map[string][]string {
	index := map[string][]string{}
	for _, s := range stops {
		for _, l := range s.Lines {
			index[l] = append(index[l], s.Code)
		}
	}
	return index
}

func withoutClosed(fares map[string]int, closed []string) map[string]int {
	open := fares
	for _, c := range closed {
		delete(open, c)
	}
	return open
}

func openOnly(fares map[string]int, closed []string) map[string]int {
	open := maps.Clone(fares)
	maps.DeleteFunc(open, func(k string, _ int) bool { return slices.Contains(closed, k) })
	return open
}

func detour(code string) string {
	if via, ok := detours[code]; ok {
		return via
	}
	return code
}

func planDetours(pairs map[string]string) int {
	maps.Copy(detours, pairs)
	return len(pairs)
}

func viaCodes(codes []string) ([]string, error) {
	out := make([]string, len(codes))
	for i, c := range codes {
		if out[i] = detour(c); out[i] == "" {
			return nil, fmt.Errorf("%s: %w", c, errNoRoute)
		}
	}
	return out, nil
}

func whenArrived(label string) int {
	onArrival = append(onArrival, func(s string) { _ = label + s })
	return len(onArrival)
}

func counter() func() int {
	n := 0
	return func() int {
		n++
		return n
	}
}

func seatNumbers(n int) []int {
	next := counter()
	seats := make([]int, n)
	for i := range seats {
		seats[i] = next()
	}
	return seats
}

func board(w io.Writer, times map[string]int) error {
	tw := tabwriter.NewWriter(w, 0, 4, 1, ' ', 0)
	for _, k := range slices.Sorted(maps.Keys(times)) {
		fmt.Fprintf(tw, "%s\t%d\n", k, times[k])
	}
	return tw.Flush()
}

func decodeFares(raw string) (fares map[string]int, err error) {
	err = json.NewDecoder(strings.NewReader(raw)).Decode(&fares)
	return fares, err
}

func loadFares(name string) (map[string]int, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return decodeFares(string(raw))
}

func remaining(ctx context.Context, due time.Time) time.Duration {
	if d, ok := ctx.Deadline(); ok && d.Before(due) {
		due = d
	}
	return time.Until(due).Round(time.Second)
}
