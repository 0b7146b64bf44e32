// Package arena is a turn based game on a hex board.
package arena

import (
	"fmt"
	"iter"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	neighbours = [6][2]int{{1, 0}, {1, -1}, {0, -1}, {-1, 0}, {-1, 1}, {0, 1}}
	costs      = map[rune]int{'.': 1, '~': 3, '^': 5}
	scores     = map[string]int{}
	distances  = map[[2]hex]int{}
	distLock   sync.RWMutex
	debugPaths bool
)

type hex struct{ q, r int }

func (h hex) add(q, r int) hex {
	h.q += q
	h.r += r
	return h
}

func (h *hex) step(dir int) {
	d := neighbours[dir%6]
	h.q, h.r = h.q+d[0], h.r+d[1]
}

func (h hex) walk(dirs ...int) hex {
	for _, dir := range dirs {
		h.step(dir)
	}
	return h
}

func (h hex) around() iter.Seq[hex] {
	return func(yield func(hex) bool) {
		for _, d := range neighbours {
			if !yield(h.add(d[0], d[1])) {
				return
			}
		}
	}
}

type unit struct {
	name   string
	at     hex
	health int
	bag    []string
}

func (u *unit) hit(damage int) bool {
	u.health = max(0, u.health-damage)
	return u.health == 0
}

func (u unit) survives(damage int) bool {
	return !u.hit(damage)
}

func (u unit) stripped() unit {
	u.bag = nil
	return u
}

func (u unit) emptied() unit {
	clear(u.bag)
	return u
}

type board struct {
	tiles map[hex]rune
	units []*unit
	turn  int
}

func (b *board) cost(h hex) int {
	if c, ok := costs[b.tiles[h]]; ok {
		return c
	}
	return math.MaxInt32
}

func (b *board) unitAt(h hex) *unit {
	for _, u := range b.units {
		if u.at == h {
			return u
		}
	}
	return nil
}

func (b *board) strike(h hex, damage int) {
	if u := b.unitAt(h); u != nil {
		u.hit(damage)
	}
}

func (b *board) endTurn() int {
	b.units = slices.DeleteFunc(b.units, func(u *unit) bool { return u.health == 0 })
	b.turn++
	return b.turn
}

func (b *board) reach(from hex, budget int) map[hex]int {
	left := map[hex]int{from: budget}
	queue := []hex{from}
	for len(queue) > 0 {
		h := queue[0]
		queue = queue[1:]
		for n := range h.around() {
			rest := left[h] - b.cost(n)
			if known, ok := left[n]; rest >= 0 && (!ok || rest > known) {
				left[n] = rest
				queue = append(queue, n)
			}
		}
	}
	return left
}

func (b *board) decide(choose func(*board) hex) hex {
	target := choose(b)
	if b.unitAt(target) != nil {
		return hex{}
	}
	return target
}

func parseBoard(text string) *board {
	b := &board{tiles: map[hex]rune{}}
	for r, line := range strings.Split(text, "\n") {
		for q, tile := range line {
			if tile == '@' {
				b.units = append(b.units, &unit{name: fmt.Sprint("u", len(b.units)), at: hex{q, r}, health: 10})
				tile = '.'
			}
			b.tiles[hex{q, r}] = tile
		}
	}
	return b
}

func loadBoard(path string) (*board, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseBoard(string(raw)), nil
}

func distance(a, b hex) int {
	dq, dr := a.q-b.q, a.r-b.r
	return (abs(dq) + abs(dr) + abs(dq+dr)) / 2
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func memoDistance(a, b hex) int {
	key := [2]hex{a, b}
	distLock.RLock()
	d, ok := distances[key]
	distLock.RUnlock()
	if !ok {
		d = distance(a, b)
		distLock.Lock()
		distances[key] = d
		distLock.Unlock()
	}
	return d
}

func nearest(from hex, units []*unit) *unit {
	return slices.MinFunc(units, func(a, b *unit) int {
		return memoDistance(from, a.at) - memoDistance(from, b.at)
	})
}

func pathLength(path []hex) int {
	total := 0
	for i := 1; i < len(path); i++ {
		total += distance(path[i-1], path[i])
	}
	return total
}

func reversePath(path []hex) []hex {
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

func roundTrip(path []hex) []hex {
	back := reversePath(slices.Clone(path))
	return slices.Concat(path, back[min(1, len(back)):])
}

func toggleDebug() {
	debugPaths = !debugPaths
}

func pathText(path []hex) string {
	parts := make([]string, len(path))
	for i, h := range path {
		parts[i] = fmt.Sprintf("(%d,%d)", h.q, h.r)
	}
	if debugPaths {
		parts = append(parts, fmt.Sprint("length ", pathLength(path)))
	}
	return strings.Join(parts, " ")
}

func roll(sides int) int {
	return 1 + rand.Intn(sides)
}

func attack(strength, armour int) int {
	return max(0, strength+roll(6)-armour)
}

func duel(first, second unit) string {
	for {
		if second.hit(attack(3, 2)) {
			return first.name
		}
		if first.hit(attack(3, 2)) {
			return second.name
		}
	}
}

func seededRolls(seed int64, count, sides int) []int {
	rng := rand.New(rand.NewSource(seed))
	rolls := make([]int, count)
	for i := range rolls {
		rolls[i] = 1 + rng.Intn(sides)
	}
	return rolls
}

func nextRoll(rng *rand.Rand, sides int) int {
	return 1 + rng.Intn(sides)
}

func award(player string, points int) int {
	scores[player] += points
	return scores[player]
}

func leader() (name string, best int) {
	for player, points := range scores {
		if points > best || points == best && player < name {
			name, best = player, points
		}
	}
	return name, best
}

func render(b *board, width, height int) string {
	var out strings.Builder
	for r := range height {
		for q := range width {
			out.WriteRune(glyph(b, hex{q, r}))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func glyph(b *board, h hex) rune {
	if u := b.unitAt(h); u != nil {
		return '@'
	}
	if tile, ok := b.tiles[h]; ok {
		return tile
	}
	return ' '
}

func show(b *board) {
	os.Stdout.WriteString(render(b, 20, 10))
}

func simulate(text string, blows int) int {
	b := parseBoard(text)
	for _, u := range b.units {
		b.strike(u.at, blows)
	}
	b.endTurn()
	return len(b.units)
}

func loot(from, to *unit) int {
	n := len(from.bag)
	to.bag = append(to.bag, from.bag...)
	from.bag = nil
	return n
}

func deadline(seconds int) time.Time {
	return time.Now().Add(time.Duration(seconds) * time.Second)
}

func turnBanner(player string, seconds int) string {
	return fmt.Sprintf("%s moves until %s", player, deadline(seconds).UTC().Format(time.TimeOnly))
}

func saveDir() string {
	return strings.TrimRight(os.Getenv("ARENA_SAVES"), "/")
}

func savePath(slot int) string {
	return fmt.Sprintf("%s/slot-%02d.txt", saveDir(), slot)
}

func announce(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(os.Stderr, strings.ToUpper(line))
	}
}

func foldUnits(units []unit, start int, fold func(int, unit) int) int {
	for _, u := range units {
		start = fold(start, u)
	}
	return start
}

func totalHealth(units []unit) int {
	return foldUnits(units, 0, func(sum int, u unit) int { return sum + u.health })
}

func totalLoot(units []unit, player string) int {
	return foldUnits(units, 0, func(sum int, u unit) int { return sum + award(player, len(u.bag)) })
}

func ring(center hex, radius int) []hex {
	at := center.add(neighbours[4][0]*radius, neighbours[4][1]*radius)
	var out []hex
	for side := range 6 {
		for range radius {
			out = append(out, at)
			at.step(side)
		}
	}
	return out
}

func initiative(units []unit) []string {
	order := slices.Clone(units)
	slices.SortFunc(order, func(a, b unit) int {
		if a.health != b.health {
			return b.health - a.health
		}
		return strings.Compare(a.name, b.name)
	})
	names := make([]string, 0, len(order))
	for _, u := range order {
		names = append(names, u.name)
	}
	return names
}

func aftermath(u *unit, blows []int) unit {
	after := *u
	for _, damage := range blows {
		if after.hit(damage) {
			break
		}
	}
	return after
}
