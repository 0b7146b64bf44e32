// Package clinic plans appointments.
package clinic

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"os/exec"
	"sort"
	"strings"
	"text/template"
	"time"
)

var (
	errFull      = errors.New("no free time")
	closedOn     = map[time.Weekday]bool{time.Saturday: true, time.Sunday: true}
	letter       = template.Must(template.New("letter").Parse("{{.Patient}}: {{.Minutes}} min in {{.Room}}\n"))
	holidays     []time.Time
	roomOverride string
	now          = time.Now
)

// Visit is one appointment.
type Visit struct {
	Patient string
	Room    string
	Start   time.Time
	Minutes int
}

// End is the end of the visit.
func (v Visit) End() time.Time {
	return v.Start.Add(time.Duration(v.Minutes) * time.Minute)
}

// Clashes says whether two visits need the same room at once.
func (v Visit) Clashes(other Visit) bool {
	return v.Room == other.Room && v.Start.Before(other.End()) && other.Start.Before(v.End())
}

// Over says whether the visit has ended.
func (v Visit) Over() bool {
	return v.End().Before(time.Now())
}

// Delay moves the visit.
func (v *Visit) Delay(d time.Duration) {
	v.Start = v.Start.Add(d)
}

// Later returns a moved visit.
func (v Visit) Later(d time.Duration) Visit {
	v.Delay(d)
	return v
}

// Plan is a day of visits.
type Plan struct {
	Visits  []*Visit
	waiting []string
	byRoom  map[string][]*Visit
}

// Add books a visit.
func (p *Plan) Add(v Visit) error {
	if p.Find(v) != nil {
		return errFull
	}
	p.Visits = append(p.Visits, &v)
	return nil
}

// Find returns the visit that is in the way.
func (p *Plan) Find(wanted Visit) *Visit {
	for _, v := range p.Visits {
		if v.Clashes(wanted) {
			return v
		}
	}
	return nil
}

// InRoom lists the visits of a room.
func (p *Plan) InRoom(room string) []*Visit {
	if p.byRoom == nil {
		p.byRoom = make(map[string][]*Visit)
		for _, v := range p.Visits {
			p.byRoom[v.Room] = append(p.byRoom[v.Room], v)
		}
	}
	return p.byRoom[room]
}

// Delayed returns the plan with all visits moved.
func (p Plan) Delayed(d time.Duration) Plan {
	for _, v := range p.Visits {
		v.Delay(d)
	}
	return p
}

// Copy returns an independent plan.
func (p *Plan) Copy() *Plan {
	c := &Plan{waiting: append([]string{}, p.waiting...)}
	for _, v := range p.Visits {
		visit := *v
		c.Visits = append(c.Visits, &visit)
	}
	return c
}

// WhatIf counts the visits that could still be added.
func (p *Plan) WhatIf(wanted []Visit) int {
	trial := p.Copy()
	added := 0
	for _, v := range wanted {
		if trial.Add(v) == nil {
			added++
		}
	}
	return added
}

// NextWaiting takes a patient from the queue.
func (p *Plan) NextWaiting() (string, bool) {
	if len(p.waiting) == 0 {
		return "", false
	}
	name := p.waiting[0]
	p.waiting = p.waiting[1:]
	return name, true
}

// Letters renders all visits.
func (p *Plan) Letters() (string, error) {
	var b strings.Builder
	for _, v := range p.Visits {
		if err := letter.Execute(&b, *v); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// Store keeps plans somewhere.
type Store interface {
	Load(day string) (*Plan, error)
}

func loadWeek(store Store, days []string) ([]*Plan, error) {
	plans := make([]*Plan, 0, len(days))
	for _, day := range days {
		plan, err := store.Load(day)
		if err != nil {
			return nil, fmt.Errorf("day %s: %w", day, err)
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

func addHoliday(day time.Time) {
	holidays = append(holidays, day)
}

func isOpen(day time.Time) bool {
	return !closedOn[day.Weekday()]
}

func isStaffed(day time.Time) bool {
	for _, h := range holidays {
		if h.YearDay() == day.YearDay() && h.Year() == day.Year() {
			return false
		}
	}
	return isOpen(day)
}

func nextOpen(day time.Time) time.Time {
	for !isOpen(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

func nextStaffed(day time.Time) time.Time {
	for !isStaffed(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

func parseStart(day, hour string) (time.Time, error) {
	t, err := time.Parse("2006-01-02 15:04", day+" "+hour)
	if err != nil {
		return time.Time{}, fmt.Errorf("start: %w", err)
	}
	return t, nil
}

func parseLocalStart(day, hour string) (time.Time, error) {
	return time.ParseInLocation("2006-01-02 15:04", day+" "+hour, time.Local)
}

func unixDay(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
}

func useClock(source func() time.Time) {
	now = source
}

func daysLeft(until time.Time) int {
	return int(until.Sub(time.Now()).Hours() / 24)
}

func urgency(until time.Time) string {
	switch left := daysLeft(until); {
	case left < 0:
		return "missed"
	case left < 3:
		return "soon"
	default:
		return "later"
	}
}

func triage(deadlines []time.Time) map[string]int {
	counts := map[string]int{}
	for _, d := range deadlines {
		counts[urgency(d)]++
	}
	return counts
}

func overrideRoom(room string) {
	roomOverride = strings.ToUpper(room)
}

func roomFor(kind string) string {
	if roomOverride != "" {
		return roomOverride
	}
	return "R-" + kind
}

func freeMask(visits []Visit, opening time.Time) uint32 {
	mask := ^uint32(0)
	for _, v := range visits {
		from := int(v.Start.Sub(opening).Minutes()) / 15
		for i := 0; i < (v.Minutes+14)/15; i++ {
			mask &^= 1 << (from + i)
		}
	}
	return mask
}

func firstGap(mask uint32) (int, error) {
	if mask == 0 {
		return 0, errFull
	}
	return bits.TrailingZeros32(mask), nil
}

func byStart(visits []Visit) []Visit {
	sort.Slice(visits, func(i, j int) bool { return visits[i].Start.Before(visits[j].Start) })
	return visits
}

func gaps(visits []Visit) []time.Duration {
	ordered := byStart(append([]Visit(nil), visits...))
	var out []time.Duration
	for i := 1; i < len(ordered); i++ {
		out = append(out, ordered[i].Start.Sub(ordered[i-1].End()))
	}
	return out
}

func longestGap(visits []Visit) time.Duration {
	var best time.Duration
	for i, v := range byStart(visits) {
		if i > 0 {
			best = max(best, v.Start.Sub(visits[i-1].End()))
		}
	}
	return best
}

func decodePlan(raw []byte) (*Plan, error) {
	plan := new(Plan)
	if err := json.Unmarshal(raw, plan); err != nil {
		return nil, err
	}
	return plan, nil
}

func refill(plan *Plan, raw []byte) error {
	return json.Unmarshal(raw, &plan.Visits)
}

func countVisits(ctx context.Context, db *sql.DB, room string) (int, error) {
	var n int
	row := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM visit WHERE room = $1`, room)
	return n, row.Scan(&n)
}

func visitQuery(room string, kinds []string) (string, []any) {
	args := []any{room}
	marks := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		args = append(args, kind)
		marks = append(marks, fmt.Sprintf("$%d", len(args)))
	}
	return "SELECT patient FROM visit WHERE room = $1 AND kind IN (" + strings.Join(marks, ", ") + ")", args
}

func printer() string {
	if name, ok := os.LookupEnv("CLINIC_PRINTER"); ok {
		return name
	}
	return "front-desk"
}

func printPlan(path string) error {
	return exec.Command("lp", "-d", printer(), path).Run()
}

func assign(patients, rooms []string) map[string]string {
	out := make(map[string]string, len(patients))
	for _, patient := range patients {
		out[patient] = rooms[rand.Intn(len(rooms))]
	}
	return out
}

func ticket(number int) func() string {
	return func() string {
		number++
		return fmt.Sprintf("T%03d", number)
	}
}

func tickets(first, count int) []string {
	next := ticket(first - 1)
	var out []string
	for range count {
		out = append(out, next())
	}
	return out
}

func roomsUsed(visits []Visit) []string {
	seen := make(map[string]struct{})
	for _, v := range visits {
		seen[v.Room] = struct{}{}
	}
	rooms := make([]string, 0, len(seen))
	for room := range seen {
		rooms = append(rooms, room)
	}
	sort.Strings(rooms)
	return rooms
}

func shortened(visits []Visit, limit int) []Visit {
	out := make([]Visit, 0, len(visits))
	for _, v := range visits {
		if v.Minutes > limit {
			v.Minutes = limit
		}
		out = append(out, v)
	}
	return out
}

func pickVisits(visits []Visit, wanted func(Visit) bool) (picked []Visit) {
	for _, v := range visits {
		if wanted(v) {
			picked = append(picked, v)
		}
	}
	return picked
}
