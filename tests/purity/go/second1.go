// Package raster holds small in-memory images and the filters run over them.
package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"image/color"
	"log"
	"math/rand"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

var (
	swatches = map[string]uint32{"ink": 0x101018, "paper": 0xf7f3e8}
	lutCache sync.Map
	rendered int
	tilePool = make(chan []byte, 8)
)

type Raster struct {
	W, H  int
	Pix   []byte
	Marks map[string]int
}

type Layer struct {
	*Raster
	Alpha byte
}

type Histogram [8]int

// Row returns the pixels of one line.
func (r Raster) Row(y int) []byte {
	return r.Pix[y*r.W : (y+1)*r.W]
}

func (r Raster) Inverted() Raster {
	for i, p := range r.Pix {
		r.Pix[i] = 255 - p
	}
	return r
}

func (r Raster) Resized(w, h int) Raster {
	r.W, r.H = w, h
	r.Pix = make([]byte, w*h)
	for i := range r.Pix {
		r.Pix[i] = 255
	}
	return r
}

func (r Raster) Marked(name string) Raster {
	r.Marks[name]++
	return r
}

func (r *Raster) Clone() *Raster {
	c := *r
	c.Pix = append([]byte(nil), r.Pix...)
	c.Pix[0] |= 1
	return &c
}

func (r *Raster) Shadow() *Raster {
	c := *r
	for i := range c.Pix {
		c.Pix[i] >>= 1
	}
	return &c
}

func (l Layer) Widened(by int) Layer {
	l.W += by
	return l
}

func (l Layer) Faded(by byte) Layer {
	l.Alpha -= by
	return l
}

func (h Histogram) Add(p byte) Histogram {
	h[p>>5]++
	return h
}

func (h *Histogram) Total() (n int) {
	for i, c := range h {
		n += c
		h[i] = 0
	}
	return n
}

func HistogramOf(pix []byte) Histogram {
	var h Histogram
	for _, p := range pix {
		h = h.Add(p)
	}
	return h
}

func drained(pix []byte) int {
	h := HistogramOf(pix)
	return h.Total()
}

func topHalf(r *Raster) []byte {
	rows := r.Pix[: r.W*(r.H/2) : r.W*(r.H/2)]
	return append(rows, 0, 0, 0)
}

func header(buf []byte, w, h int) []byte {
	out := buf[:0]
	out = append(out, byte(w), byte(h))
	return out
}

func medianOf(pix []byte) byte {
	slices.Sort(pix)
	return pix[len(pix)/2]
}

func medianIn(pix []byte) byte {
	tmp := slices.Clone(pix)
	slices.Sort(tmp)
	return tmp[len(tmp)/2]
}

func firstRow(r *Raster) []byte {
	line := r.Row(0)
	line[0] = 0
	return line
}

func distinct(pix []byte) []byte {
	return slices.Compact(pix)
}

func fingerprint(r *Raster) uint64 {
	h := fnv.New64a()
	h.Write(r.Pix)
	fmt.Fprintf(h, "%dx%d", r.W, r.H)
	return h.Sum64()
}

func ascii(r *Raster) string {
	var b strings.Builder
	for y := 0; y < r.H; y++ {
		for _, p := range r.Row(y) {
			b.WriteByte(" .:#"[p>>6])
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func unpack(data []byte) (*Raster, error) {
	rd := bytes.NewReader(data)
	var w, h uint8
	if err := binary.Read(rd, binary.LittleEndian, &w); err != nil {
		return nil, fmt.Errorf("width: %w", err)
	}
	if err := binary.Read(rd, binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("height: %w", err)
	}
	return &Raster{W: int(w), H: int(h), Pix: data[2:]}, nil
}

func swatch(name string) color.RGBA {
	v := swatches[strings.ToLower(name)]
	return color.RGBA{R: byte(v >> 16), G: byte(v >> 8), B: byte(v), A: 255}
}

func mixSwatch(name string, with uint32) uint32 {
	table := swatches
	table[name] = (table[name] + with) / 2
	return table[name]
}

func lut(level int) []byte {
	if v, ok := lutCache.Load(level); ok {
		return v.([]byte)
	}
	t := bytes.Repeat([]byte{byte(level)}, 256)
	lutCache.Store(level, t)
	return t
}

func brightest(layers []Layer) []Layer {
	ranked := append([]Layer{}, layers...)
	sort.Slice(ranked, func(i, j int) bool {
		log.Printf("compare %d %d", i, j)
		return ranked[i].Alpha > ranked[j].Alpha
	})
	return ranked
}

func measured(pix []byte) (mean int) {
	defer func() { rendered++ }()
	for _, p := range pix {
		mean += int(p)
	}
	return mean / max(len(pix), 1)
}

func borrowTile() []byte {
	select {
	case t := <-tilePool:
		return t[:0]
	default:
		return make([]byte, 0, 256)
	}
}

func dither(pix []byte) []byte {
	out := make([]byte, len(pix))
	for i, p := range pix {
		out[i] = p ^ byte(rand.Intn(4))
	}
	return out
}

func grain(n int, seed int64) []byte {
	src := rand.New(rand.NewSource(seed))
	out := make([]byte, n)
	src.Read(out)
	return out
}

func fontDir() string {
	return envOr("RASTER_FONTS", "/usr/share/fonts")
}

func envOr(key, fallback string) string {
	if v, ok := os.LookupEnv(key); ok {
		return v
	}
	return fallback
}

func watermark(author string) string {
	return fmt.Sprintf("(c) %d %s", time.Now().Year(), author)
}
